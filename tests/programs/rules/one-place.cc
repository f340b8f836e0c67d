// SPDX-License-Identifier: MIT
//
// A warehouse. One thread counts the goods of a shelf again and again, the other one picks goods or looks at the shelf.
// The fault: a recount locks the shelf first and counts while it holds the lock, so that whatever the other thread does
// loses to that one place. Without the fault it counts first, and then writes. usage: one-place with|without
#include "meet.h"
#include "program.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warehouse {

constexpr unsigned rounds = 60, counting_us = 1500, found_again = 2;

struct alignas(64) Shelf {
	std::uint64_t goods = 0;
};

template <std::size_t Shelves> struct Hall {
	std::array<Shelf, Shelves> shelves;

	Shelf &at(unsigned round)
	{
		return shelves[round % Shelves];
	}
	std::uint64_t goods() const;
};

template <std::size_t Shelves> std::uint64_t Hall<Shelves>::goods() const
{
	std::uint64_t sum = 0;
	for (const Shelf &shelf : shelves)
		sum += shelf.goods;
	return sum;
}

Hall<16> hall;
bool counts_within;

// The last round in which a recount has locked its shelf; and in which the other thread has tried twice, or is done.
alignas(64) unsigned locked;
alignas(64) unsigned tried, done;

// Of the other thread: an attempt begins.
__attribute__((transaction_pure, noinline)) void begin_attempt(unsigned round)
{
	static unsigned round_of_attempt;
	if (round_of_attempt == round)
		meet_say(&tried, round);
	round_of_attempt = round;
}

__attribute__((noinline)) void count_and_write(Shelf &shelf, unsigned round)
{
	__transaction_atomic
	{
		shelf.goods += found_again;
		meet_say(&locked, round);
		meet_stay(&tried, 1, round, counting_us);
	}
}

__attribute__((noinline)) void write_count(Shelf &shelf)
{
	__transaction_atomic
	{
		shelf.goods += found_again;
	}
}

void recount(Shelf &shelf, unsigned round)
{
	if (counts_within) {
		count_and_write(shelf, round);
	} else {
		meet_stay(&tried, 0, round, counting_us);
		write_count(shelf);
		meet_say(&locked, round);
	}
}

// For each number a place of its own.
template <int number> __attribute__((noinline)) void pick(Shelf &shelf, unsigned round)
{
	__transaction_atomic
	{
		begin_attempt(round);
		shelf.goods += number;
	}
}

__attribute__((noinline)) std::uint64_t look_at(const Shelf &shelf, unsigned round)
{
	std::uint64_t goods;
	__transaction_atomic
	{
		begin_attempt(round);
		goods = shelf.goods;
	}
	return goods;
}

void handle(Shelf &shelf, unsigned round)
{
	switch (round % 4) {
	case 0:
		return pick<1>(shelf, round);
	case 1:
		return pick<3>(shelf, round);
	case 2:
		return pick<7>(shelf, round);
	default:
		look_at(shelf, round);
	}
}

void work(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (number == 0) {
			recount(hall.at(round), round);
			meet_await(&done, round);
		} else {
			meet_await(&locked, round);
			handle(hall.at(round), round);
			meet_say(&done, round);
		}
	}
}

} // namespace warehouse

int main(int argc, char **argv)
{
	using namespace warehouse;
	counts_within = program_has_fault(argc, argv);
	program_run(2, work);
	const std::uint64_t goods = hall.goods();
	return program_result(goods == rounds / 4 * 11 + rounds * found_again, goods);
}
