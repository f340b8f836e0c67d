/* SPDX-License-Identifier: MIT
 *
 * Exceptions and transactions. An exception that leaves a transaction commits it, by a special entry of libitm; here
 * it also leaves a nested transaction. An exception that is caught within is thrown by code that is not safe, in a
 * relaxed transaction: an atomic one with a handler in it crashes in gcc 12's libitm, without any profiler.
 */
#include "program.h"

namespace
{

constexpr unsigned rounds = 300;

uint64_t inside;
uint64_t thrown_out;
uint64_t mistakes;

__attribute__((noinline, transaction_unsafe)) uint64_t throw_and_catch(uint64_t amount)
{
	try {
		throw amount;
	} catch (uint64_t caught) {
		return caught;
	}
}

__attribute__((noinline)) void catch_within(uint64_t amount)
{
	__transaction_relaxed
	{
		inside += throw_and_catch(amount);
	}
}

__attribute__((noinline, transaction_safe)) void throw_even(uint64_t amount)
{
	__transaction_atomic
	{
		thrown_out += amount;
		if (amount % 2 == 0)
			throw amount;
	}
}

__attribute__((noinline)) void throw_out(uint64_t amount)
{
	__transaction_atomic
	{
		thrown_out += amount;
		throw_even(amount);
	}
}

/* The exception arrives as it was thrown, and there is no other one. */
void body(unsigned number)
{
	for (unsigned i = 0; i < rounds; i++) {
		const uint64_t amount = number + i;
		bool is_caught = false;
		catch_within(amount);
		try {
			throw_out(amount);
		} catch (uint64_t caught) {
			is_caught = caught == amount;
		}
		if (is_caught != (amount % 2 == 0))
			__atomic_fetch_add(&mistakes, 1, __ATOMIC_RELAXED);
	}
}

} // namespace

int main(int argc, char **argv)
{
	const unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	const uint64_t expected = static_cast<uint64_t>(threads) * rounds * (rounds - 1) / 2 +
				  static_cast<uint64_t>(rounds) * threads * (threads - 1) / 2;
	return program_result(
		mistakes == 0 && inside == expected && thrown_out == 2 * expected, inside * 3 + thrown_out);
}
