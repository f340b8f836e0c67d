/* SPDX-License-Identifier: MIT
 *
 * Transactions whose commits take long, and wait for nobody: libitm does the program's own work at their ends. The other
 * thread has transacted before, and only waits for this one. usage: deferred
 */
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "program.h"

extern "C" __attribute__((transaction_pure)) void _ITM_addUserCommitAction(void (*)(void *), uint64_t, void *);

namespace
{

enum { ROUNDS = 3, OUTERMOST = 1 };

/* The system gives memory of this size back at once, page by page. */
const size_t LARGE = 32u << 20;

long stored, acted;

__attribute__((noinline)) void store(long value)
{
	__transaction_atomic { stored += value; }
}

void act(void *)
{
	const clock_t began = clock();
	while (clock() - began < CLOCKS_PER_SEC / 1000)
		acted++;
}

__attribute__((noinline)) void store_and_act()
{
	__transaction_atomic
	{
		stored++;
		_ITM_addUserCommitAction(act, OUTERMOST, nullptr);
	}
}

__attribute__((noinline)) void store_and_free(void *block)
{
	__transaction_atomic
	{
		stored++;
		free(block);
	}
}

__attribute__((noinline)) void store_and_delete(char *block)
{
	__transaction_atomic
	{
		stored++;
		delete[] block;
	}
}

void *fill(void *block)
{
	return block != nullptr ? memset(block, 1, LARGE) : nullptr;
}

void body(unsigned)
{
	for (int i = 0; i < ROUNDS; i++) {
		store_and_act();
		store_and_free(fill(malloc(LARGE)));
		store_and_delete(static_cast<char *>(fill(new char[LARGE])));
	}
}

} // namespace

int main()
{
	store(1);
	program_run(1, body);
	return program_result(stored == 1 + 3 * ROUNDS && acted > 0, static_cast<uint64_t>(stored));
}
