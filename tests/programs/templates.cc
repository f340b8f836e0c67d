/* SPDX-License-Identifier: MIT
 *
 * Class templates with transactions in their members, for types that use different barriers. A report must demangle
 * their names. One transaction is always cancelled, so that there is something to report (cancel.c says why
 * ITM_DEFAULT_METHOD must be set).
 */
#include "program.h"

namespace ledger
{

constexpr unsigned rounds = 300;

template <typename T> class account
{
      public:
	__attribute__((noinline)) void deposit(T amount)
	{
		__transaction_atomic
		{
			balance += amount;
			deposits++;
		}
	}

	bool holds(uint64_t expected, uint64_t count) const
	{
		return balance == static_cast<T>(expected) && deposits == count;
	}

      private:
	T balance = 0;
	uint64_t deposits = 0;
};

double retracted;

/* No template: in a template gcc 12 leaves out the cancel. */
__attribute__((noinline)) void retract(double amount)
{
	__transaction_atomic
	{
		retracted = amount;
		__transaction_cancel;
	}
}

account<uint8_t> bytes;
account<uint16_t> shorts;
account<uint64_t> words;
account<float> floats;
account<double> doubles;
account<long double> long_doubles;

void body(unsigned number)
{
	for (unsigned i = 0; i < rounds; i++) {
		bytes.deposit(static_cast<uint8_t>(number + 1));
		shorts.deposit(static_cast<uint16_t>(number + 1));
		words.deposit(number + 1);
		floats.deposit(static_cast<float>(number + 1));
		doubles.deposit(number + 1);
		long_doubles.deposit(number + 1);
		retract(number + 1);
	}
}

bool is_right(uint64_t expected, uint64_t count)
{
	return bytes.holds(expected, count) && shorts.holds(expected, count) && words.holds(expected, count) &&
	       floats.holds(expected, count) && doubles.holds(expected, count) && long_doubles.holds(expected, count) &&
	       retracted == 0;
}

} // namespace ledger

int main(int argc, char **argv)
{
	const unsigned threads = program_threads(argc, argv);
	program_run(threads, ledger::body);
	const uint64_t count = static_cast<uint64_t>(ledger::rounds) * threads, expected = count * (threads + 1) / 2;
	return program_result(ledger::is_right(expected, count), expected);
}
