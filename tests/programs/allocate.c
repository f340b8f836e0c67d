/* SPDX-License-Identifier: MIT
 *
 * malloc and free within transactions: a stack that every thread pushes to and pops from. If an attempt fails, the STM
 * undoes its mallocs; frees take effect at commit.
 */
#include "program.h"

#include <stdlib.h>

enum { ROUNDS = 500 };

struct node {
	struct node *below;
	uint64_t value;
};

static struct node *top;
static uint64_t popped;

static __attribute__((noinline)) void push(uint64_t value)
{
	__transaction_atomic
	{
		struct node *node = malloc(sizeof(*node));
		node->value = value;
		node->below = top;
		top = node;
	}
}

static __attribute__((noinline)) void pop(void)
{
	__transaction_atomic
	{
		struct node *node = top;
		top = node->below;
		popped += node->value;
		free(node);
	}
}

/* A thread pops only after it has pushed, so there is always a node for it. */
static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		push(number + i);
		pop();
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t expected =
		(uint64_t)threads * ROUNDS * (ROUNDS - 1) / 2 + (uint64_t)ROUNDS * threads * (threads - 1) / 2;
	return program_result(top == NULL && popped == expected, popped);
}
