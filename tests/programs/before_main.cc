/* SPDX-License-Identifier: MIT
 *
 * A static object's constructor runs a transaction before main, and its destructor another one after main; before or
 * after the profiler's own constructors and destructors.
 */
#include "program.h"

#include <cstdlib>

namespace
{

constexpr unsigned rounds = 300;

uint64_t total;

__attribute__((noinline)) void add(uint64_t amount)
{
	__transaction_atomic
	{
		total += amount;
	}
}

struct resident {
	resident()
	{
		add(1000);
	}
	~resident()
	{
		const uint64_t before = total;
		add(1);
		if (total != before + 1)
			abort();
	}
};

resident only_one;

void body(unsigned number)
{
	for (unsigned i = 0; i < rounds; i++)
		add(number + 1);
}

} // namespace

int main(int argc, char **argv)
{
	const unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	const uint64_t expected = 1000 + static_cast<uint64_t>(rounds) * threads * (threads + 1) / 2;
	return program_result(total == expected, total);
}
