// SPDX-License-Identifier: MIT
//
// A hotel. The desk books rooms, the housekeeper takes rooms out of use for a day. The fault: both write the room's
// state and its day of the calendar, so that book() loses to close_room() and close_room() to book(), and neither to
// anything else. Without the fault they have rooms of their own: the desk those of one wing, the housekeeper those of
// the other. usage: mutual-pair with|without
#include "meeting.h"
#include "program.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hotel {

constexpr std::size_t rooms = 20;
constexpr unsigned rounds = 250, looking_up = 100000, printing = 100000;

enum class Use : std::uint64_t { unused, booked, closed };

struct alignas(64) Room {
	std::uint64_t changes = 0;
	Use use = Use::unused;
};

struct alignas(64) Day {
	std::uint64_t entries = 0;
};

template <std::size_t Rooms> struct Wing {
	std::array<Room, Rooms> rooms;
	std::array<Day, 7> week;

	Room &room(unsigned round)
	{
		return rooms[round % Rooms];
	}
	Day &day(unsigned round)
	{
		return week[round % 7];
	}
	std::uint64_t changes() const;
	std::uint64_t entries() const;
};

template <std::size_t Rooms> std::uint64_t Wing<Rooms>::changes() const
{
	std::uint64_t sum = 0;
	for (const Room &room : rooms)
		sum += room.changes;
	return sum;
}

template <std::size_t Rooms> std::uint64_t Wing<Rooms>::entries() const
{
	std::uint64_t sum = 0;
	for (const Day &day : week)
		sum += day.entries;
	return sum;
}

Wing<rooms> north, south;
bool is_planted;

// First the room, then the calendar.
__attribute__((noinline)) void book(Room &room, Day &day)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(looking_up);
		room.changes++;
		room.use = Use::booked;
		day.entries++;
		meeting_hold();
		program_work(printing);
	}
}

// The other way round.
__attribute__((noinline)) void close_room(Room &room, Day &day)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(looking_up);
		day.entries++;
		room.changes++;
		room.use = Use::closed;
		meeting_hold();
		program_work(printing);
	}
}

void work(unsigned number)
{
	Wing<rooms> &wing = is_planted || number == 0 ? north : south;
	meeting_join(number, 2, is_planted ? rounds - 50 : 0);
	for (unsigned round = 0; round < rounds; round++) {
		meeting_next();
		if (number == 0)
			book(wing.room(round), wing.day(round));
		else
			close_room(wing.room(round), wing.day(round));
	}
}

} // namespace hotel

int main(int argc, char **argv)
{
	using namespace hotel;
	is_planted = program_has_fault(argc, argv);
	program_run(2, work);
	const std::uint64_t changes = north.changes() + south.changes();
	return program_result(changes == 2 * rounds && north.entries() + south.entries() == changes, changes);
}
