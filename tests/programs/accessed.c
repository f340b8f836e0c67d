/* SPDX-License-Identifier: MIT
 *
 * Transactions of known accesses: of a few words that all threads share, and of data of each thread's own. usage:
 * accessed [THREADS [ROUNDS [fork]]]. With ROUNDS the program prints the address of each datum. With `fork` the process
 * forks when its threads are over, and the child makes transactions of one kind only, in a thread.
 *
 * MEETINGS=N in the environment: so often two threads are made to conflict (bench/support/meeting.h).
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meeting.h"

enum { THREADS_MAX = 64, ALONE_EVERY = 16, START = 1000000, BLOCK = 100 };

/* What move() moves. */
static struct {
	_Alignas(64) uint64_t from, to;
} both = {.from = START};

/* Of each thread. */
static struct own {
	_Alignas(64) uint8_t u1;
	uint16_t u2;
	uint32_t u4;
	uint64_t u8;
	float f;
	double d;
	_Alignas(64) char source[BLOCK];
	_Alignas(64) char copy[BLOCK];
	_Alignas(64) uint64_t before, after, asked, called, answered, offered, refused, inner, outer, printed;
	volatile uint64_t device;
} own[THREADS_MAX];

static unsigned rounds, threads;

/* ---- the transactions ---- */

static __attribute__((noinline)) void move(uint64_t amount)
{
	__transaction_atomic
	{
		meeting_enter();
		both.from -= amount;
		both.to += amount;
		meeting_hold();
	}
}

static __attribute__((noinline)) void widths(struct own *of)
{
	__transaction_atomic
	{
		of->u1++;
		of->u2++;
		of->u4++;
		of->u8++;
		of->f += 1;
		of->d += 1;
	}
}

static __attribute__((noinline)) void copy(struct own *of)
{
	__transaction_atomic
	{
		memcpy(of->copy, of->source, BLOCK);
	}
}

/* Commits the inner one with the outer one. */
static __attribute__((noinline)) void nest(struct own *of)
{
	__transaction_atomic
	{
		of->outer++;
		__transaction_atomic
		{
			of->inner++;
		}
	}
}

static __attribute__((noinline)) void offer(struct own *of, bool is_refused)
{
	__transaction_atomic
	{
		if (is_refused) {
			of->refused = 1;
			__transaction_cancel;
		}
		of->offered++;
	}
}

/* Becomes irrevocable in the middle, if it touches the device. */
static __attribute__((noinline)) void touch_device(struct own *of, bool is_touched)
{
	__transaction_relaxed
	{
		of->before++;
		if (is_touched)
			of->device = of->device + 1;
		of->after++;
	}
}

/* Is irrevocable from its begin on. */
static __attribute__((noinline)) void print(struct own *of)
{
	__transaction_relaxed
	{
		of->device = of->device + 1;
		of->printed++;
	}
}

/* The compiler makes a clone of it for transactions; of the other one it makes none. */
static __attribute__((noinline, transaction_callable)) void with_clone(struct own *of)
{
	of->called++;
}

static __attribute__((noinline)) void without_clone(struct own *of)
{
	of->device = of->device + 1;
}

static void (*volatile cloned)(struct own *) = with_clone;
static void (*volatile not_cloned)(struct own *) = without_clone;

/* The transaction becomes irrevocable if the function has no clone. */
static __attribute__((noinline)) void call(struct own *of, void (*function)(struct own *))
{
	__transaction_relaxed
	{
		of->asked++;
		function(of);
		of->answered++;
	}
}

/* ---- threads ---- */

static void transact_irrevocable(struct own *of)
{
	touch_device(of, true);
	print(of);
	call(of, not_cloned);
}

static void body(unsigned number)
{
	struct own *of = &own[number];
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		move(i % 3);
		widths(of);
		copy(of);
		nest(of);
		offer(of, i % 2 == 0);
		touch_device(of, false);
		call(of, cloned);
		if (i % ALONE_EVERY == 0)
			transact_irrevocable(of);
	}
}

static bool is_right(const struct own *of)
{
	uint64_t alone = (rounds + ALONE_EVERY - 1) / ALONE_EVERY;
	return of->u1 == (uint8_t)rounds && of->u2 == (uint16_t)rounds && of->u4 == rounds && of->u8 == rounds &&
	       of->d == rounds && of->f == (rounds < 1 << 24 ? (float)rounds : 1 << 24) && of->inner == rounds &&
	       of->outer == rounds && of->offered == rounds / 2 && of->refused == 0 && of->called == rounds &&
	       of->before == rounds + alone && of->after == of->before && of->asked == of->before &&
	       of->answered == of->before && of->printed == alone && of->device == 3 * alone &&
	       memcmp(of->copy, of->source, BLOCK) == 0;
}

/* ---- a child ---- */

static void child_body(unsigned number)
{
	for (unsigned i = 0; i < rounds; i++)
		widths(&own[number]);
}

static bool fork_one(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		program_run(1, child_body);
		exit(own[0].u4 != 2 * rounds);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- main ---- */

static void print_place(unsigned number, const char *name, const volatile void *place)
{
	printf("place %u %s %#lx\n", number, name, (unsigned long)place);
}

static void print_places(unsigned number)
{
	const struct own *of = &own[number];
#define PRINT(member) print_place(number, #member, &of->member)
	PRINT(u1), PRINT(u2), PRINT(u4), PRINT(u8), PRINT(f), PRINT(d), PRINT(source), PRINT(copy);
	PRINT(before), PRINT(after), PRINT(asked), PRINT(called), PRINT(answered), PRINT(offered), PRINT(refused),
		PRINT(inner), PRINT(outer);
	PRINT(printed), PRINT(device);
#undef PRINT
	print_place(number, "from", &both.from);
	print_place(number, "to", &both.to);
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 300);
	bool is_well = true;
	for (unsigned i = 0; i < threads; i++) {
		memset(own[i].source, (int)i + 1, BLOCK);
		if (argc > 2)
			print_places(i);
	}
	program_run(threads, body);
	for (unsigned i = 0; i < threads; i++)
		is_well &= is_right(&own[i]);
	if (argc > 3 && strcmp(argv[3], "fork") == 0)
		is_well &= fork_one();
	return program_result(is_well && both.from + both.to == START, both.to);
}
