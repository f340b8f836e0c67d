// SPDX-License-Identifier: MIT
//
// As printing.c, in C++; but the transaction always prints, so that it is irrevocable when it begins.
// usage: book [THREADS [ROUNDS [MICROSECONDS]]]
#include "meet.h"
#include "program.h"

#include <cstdio>

namespace {

enum { MAX_THREADS = 64 };

struct Counter {
	alignas(64) uint64_t value;
};

Counter printed, counted[MAX_THREADS];
unsigned threads, rounds, us;
unsigned inside, come[MAX_THREADS], done[MAX_THREADS];
std::FILE *log_file;

struct Book {
	__attribute__((noinline)) static void print_page(unsigned round);
	__attribute__((noinline)) static void count_one(unsigned number);
};

void Book::print_page(unsigned round)
{
	__transaction_relaxed
	{
		printed.value++;
		std::fprintf(log_file, "%u\n", round);
	}
}

void Book::count_one(unsigned number)
{
	__transaction_atomic
	{
		counted[number].value++;
	}
}

void body(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (number == 0) {
			Book::print_page(round);
			for (unsigned other = 1; other < threads; other++)
				meet_await(&done[other], round);
			continue;
		}
		meet_await(&inside, round);
		meet_say(&come[number], round);
		Book::count_one(number);
		meet_say(&done[number], round);
	}
}

// The log's writer: fprintf() calls it within the transaction, for the log has no buffer. So the meeting point is
// within the call that made the transaction irrevocable.
ssize_t stay(void *, const char *, size_t size)
{
	static unsigned round;
	meet_say(&inside, ++round);
	meet_stay(&come[1], threads - 1, round, us);
	return static_cast<ssize_t>(size);
}

} // namespace

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 3);
	us = program_number(argc, argv, 3, 1000);
	cookie_io_functions_t functions = {};
	functions.write = stay;
	log_file = fopencookie(nullptr, "w", functions);
	if (log_file == nullptr)
		return 3;
	std::setvbuf(log_file, nullptr, _IOLBF, 0);
	program_run(threads, body);
	for (unsigned i = 0; i < threads; i++)
		sum += counted[i].value;
	std::fclose(log_file);
	return program_result(printed.value == rounds && sum == uint64_t{rounds} * (threads - 1), printed.value + sum);
}
