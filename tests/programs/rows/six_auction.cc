// SPDX-License-Identifier: MIT
//
// An auction in two halls, and three faults at once: each bid is added to the turnover of the house; of the statistics
// of the halls, each of which only one thread writes, two lie in one stripe; and the hammer is written to the minutes
// within the transaction that sells. usage: six_auction
#include "meet.h"
#include "meeting.h"
#include "program.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace auction {

constexpr unsigned halls = 2, meetings_of_each = 100, rounds = 2 * meetings_of_each + 60, lots = 50;
constexpr unsigned hearing = 400000, repeating = 100000;

struct alignas(64) Lot {
	std::uint64_t highest = 0, bids = 0;
	bool is_sold = false;
};

template <typename Number> struct House {
	alignas(64) Number turnover{};
	alignas(64) std::array<Number, halls> seated{};
	std::array<std::array<Lot, lots>, halls> catalogue;

	Lot &lot(unsigned hall, unsigned number)
	{
		return catalogue[hall][number % lots];
	}
};

House<std::uint64_t> house;
unsigned writing, written;
std::FILE *minutes;
long pen_ns;

template <typename Amount> __attribute__((noinline)) void bid(Lot &lot, Amount amount)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(hearing);
		lot.bids++;
		if (amount > lot.highest)
			lot.highest = amount;
		house.turnover += amount;
		meeting_hold();
		program_work(repeating);
	}
}

__attribute__((noinline)) void seat_guest(std::uint64_t &seated)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(hearing);
		seated++;
		meeting_hold();
		program_work(repeating);
	}
}

__attribute__((noinline)) void hammer(Lot &lot, unsigned number)
{
	__transaction_relaxed
	{
		if (!lot.is_sold) {
			lot.is_sold = true;
			std::fprintf(minutes, "lot %u is sold\n", number);
		}
	}
}

__attribute__((noinline)) void bid_once_more(Lot &lot)
{
	__transaction_atomic
	{
		lot.bids++;
	}
}

// The clerk who writes the minutes is slow.
ssize_t write_minutes(void *, const char *, std::size_t size)
{
	static unsigned line;
	meet_say(&writing, ++line);
	const std::timespec time{0, pen_ns};
	nanosleep(&time, nullptr);
	return static_cast<ssize_t>(size);
}

// Conflicts lose more time on a slow machine, and on a busy one. So the clerk takes an eighth of the processor time that
// they have taken, for all lots together.
void sell_all()
{
	pen_ns = std::clock() * 1000 / 8 / lots; // clock() counts microseconds
	for (unsigned lot = 1; lot <= lots; lot++) {
		hammer(house.lot(0, lot), lot);
		meet_await(&written, lot);
	}
}

void go_on_bidding()
{
	for (unsigned lot = 1; lot <= lots; lot++) {
		meet_await(&writing, lot);
		bid_once_more(house.lot(1, lot));
		meet_say(&written, lot);
	}
}

void work(unsigned hall)
{
	meeting_join(hall, halls, 2 * meetings_of_each);
	for (unsigned round = 0; round < rounds; round++) {
		meeting_next();
		if (round % 2 == 0)
			bid(house.lot(hall, round), std::uint64_t{100} + round);
		else
			seat_guest(hall == 0 ? house.seated.front() : house.seated.back());
	}
	hall == 0 ? sell_all() : go_on_bidding();
}

} // namespace auction

int main()
{
	using namespace auction;
	cookie_io_functions_t functions = {};
	functions.write = write_minutes;
	minutes = fopencookie(nullptr, "w", functions);
	if (minutes == nullptr)
		return 3;
	std::setvbuf(minutes, nullptr, _IOLBF, 0);
	program_run(halls, work);
	std::fclose(minutes);
	std::uint64_t expected = 0;
	for (unsigned round = 0; round < rounds; round += 2)
		expected += halls * (100 + round);
	bool is_right = house.seated.front() == rounds / 2 && house.seated.back() == rounds / 2;
	return program_result(is_right && house.turnover == expected, house.turnover);
}
