/* SPDX-License-Identifier: MIT
 *
 * Nested transactions: the inner one commits in one round and is cancelled in the next. The program avoids three faults
 * of gcc 12's libitm, which have nothing to do with a profiler:
 *   - libitm calls abort() at an inner cancel while the outer transaction runs irrevocably. A transaction that contains
 *     a cancel is not begun as an irrevocable one: so the outer transaction contains a cancel, which is never reached;
 *   - while threads start, the default method may make the outer transaction irrevocable all the same: run this program
 *     with ITM_DEFAULT_METHOD set;
 *   - libitm's serial method, which takes over at an inner cancel, does not undo a store to a word that was read for
 *     writing before: the inner transaction that is cancelled here stores without a read.
 */
#include "program.h"

enum { ROUNDS = 500, UNTOUCHED = 7, CANCELLED = 8 };

static struct {
	_Alignas(64) uint64_t value;
} outer, kept, scratch = {UNTOUCHED};

static __attribute__((noinline, transaction_safe)) void add_and_keep(uint64_t amount)
{
	__transaction_atomic
	{
		kept.value += amount;
	}
}

static __attribute__((noinline, transaction_safe)) void store_and_cancel(void)
{
	__transaction_atomic
	{
		scratch.value = CANCELLED;
		__transaction_cancel;
	}
}

static __attribute__((noinline)) void add(uint64_t amount, bool is_kept)
{
	__transaction_atomic
	{
		outer.value += amount;
		if (amount == 0)
			__transaction_cancel;
		if (is_kept)
			add_and_keep(amount);
		else
			store_and_cancel();
		outer.value += amount;
	}
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		add(number + 1, i % 2 == 0);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t each = (uint64_t)ROUNDS * threads * (threads + 1) / 2;
	bool is_right = outer.value == 2 * each && kept.value == each / 2 && scratch.value == UNTOUCHED;
	return program_result(is_right, outer.value * 3 + kept.value);
}
