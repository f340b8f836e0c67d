// SPDX-License-Identifier: MIT
//
// Figures of a web server: the thread that answers from the cache counts hits, the other one counts misses. No request
// is counted by both. The fault: the two counters lie side by side, in one of libitm's stripes of 32 bytes. Without
// the fault each has a cache line to itself. usage: neighbours with|without
#include "meeting.h"
#include "program.h"

#include <cstddef>
#include <cstdint>

namespace web {

constexpr unsigned requests = 250, largest_answer = 4096, parsing = 100000, logging = 100000;

struct Counter {
	std::uint64_t answers = 0;
	std::uint64_t bytes = 0;

	void add(std::uint64_t size)
	{
		answers++;
		bytes += size;
	}
};

template <std::size_t Alignment> struct Statistics {
	alignas(Alignment) Counter hits;
	alignas(Alignment) Counter misses;
};

// Within a line both are still in one stripe: 32 bytes.
alignas(64) Statistics<alignof(Counter)> packed;
Statistics<64> spread;

static_assert(sizeof packed == 32 && sizeof spread == 128, "the one pair shares a stripe, the other one does not");

struct Request {
	unsigned number;

	std::uint64_t answer_size() const
	{
		return (number * 37u) % largest_answer;
	}
};

// The meetings see to it that the transactions of two threads meet, if these share anything.
template <typename Statistics> __attribute__((noinline)) void count_hit(Statistics &statistics, const Request &request)
{
	const std::uint64_t size = request.answer_size();
	__transaction_atomic
	{
		meeting_enter();
		program_work(parsing);
		statistics.hits.add(size);
		meeting_hold();
		program_work(logging);
	}
}

template <typename Statistics> __attribute__((noinline)) void count_miss(Statistics &statistics, const Request &request)
{
	const std::uint64_t size = request.answer_size();
	__transaction_atomic
	{
		meeting_enter();
		program_work(parsing);
		statistics.misses.add(size);
		meeting_hold();
		program_work(logging);
	}
}

template <typename Statistics, Statistics &statistics, bool share> void serve(unsigned number)
{
	meeting_join(number, 2, share ? requests - 50 : 0);
	for (unsigned i = 0; i < requests; i++) {
		meeting_next();
		if (number == 0)
			count_hit(statistics, Request{i});
		else
			count_miss(statistics, Request{i});
	}
}

template <typename Statistics> int tell(const Statistics &statistics)
{
	const Counter &hits = statistics.hits, &misses = statistics.misses;
	std::uint64_t bytes = 0;
	for (unsigned i = 0; i < requests; i++)
		bytes += Request{i}.answer_size();
	bool is_right = hits.answers == requests && misses.answers == requests;
	return program_result(is_right && hits.bytes == bytes && misses.bytes == bytes, bytes);
}

} // namespace web

int main(int argc, char **argv)
{
	using namespace web;
	if (program_has_fault(argc, argv)) {
		program_run(2, serve<decltype(packed), packed, true>);
		return tell(packed);
	}
	program_run(2, serve<decltype(spread), spread, false>);
	return tell(spread);
}
