// SPDX-License-Identifier: MIT
//
// A door with a card reader. Visitors are counted in transactions; now and then a caretaker writes the state to a disk.
// The fault: the disk is written within a transaction, which no processor does in hardware, so that libitm runs it
// alone, and the visitors find the lock held. Without the fault the caretaker copies the state in a transaction, and
// writes it afterwards. For libitm's method htm. usage: lock-held with|without
#include "program.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>

namespace door {

constexpr unsigned saves = 100;
constexpr long disk_ns = 1000000, pause_ns = 200000;
constexpr unsigned patience = 100;

template <typename Number> struct State {
	Number entered{}, left{};
	Number inside() const
	{
		return entered - left;
	}
};

struct Disk {
	std::atomic<unsigned> begun{0}, ended{0}, visited{0};
	State<std::uint64_t> saved;
	std::uint64_t sum = 0;

	__attribute__((transaction_pure, noinline)) void write(std::uint64_t entered, std::uint64_t left);
};

void sleep_ns(long ns)
{
	const std::timespec time{0, ns};
	nanosleep(&time, nullptr);
}

// Goes on when somebody is about to go in or out, however busy the machine is.
void Disk::write(std::uint64_t entered, std::uint64_t left)
{
	const unsigned save = begun.fetch_add(1) + 1;
	for (unsigned tries = 0; save > 1 && visited.load() < save && tries < patience; tries++)
		sleep_ns(pause_ns);
	saved.entered = entered;
	saved.left = left;
	sum += saved.inside();
	sleep_ns(disk_ns);
	ended.fetch_add(1);
}

alignas(64) State<std::uint64_t> visitors;
alignas(64) State<std::uint64_t> cards;
Disk disk;
bool writes_within;

__attribute__((noinline)) void save_within()
{
	__transaction_atomic
	{
		disk.write(cards.entered, cards.left);
	}
}

__attribute__((noinline)) State<std::uint64_t> copy_cards()
{
	State<std::uint64_t> copy;
	__transaction_atomic
	{
		copy.entered = cards.entered;
		copy.left = cards.left;
	}
	return copy;
}

__attribute__((noinline)) void pass(bool is_in)
{
	__transaction_atomic
	{
		if (is_in)
			visitors.entered++;
		else
			visitors.left++;
	}
}

void caretaker()
{
	for (unsigned save = 0; save < saves; save++) {
		if (writes_within) {
			save_within();
		} else {
			const State<std::uint64_t> copy = copy_cards();
			disk.write(copy.entered, copy.left);
		}
		sleep_ns(pause_ns);
	}
}

// Somebody goes in or out as soon as each save has begun, but the first.
void visit()
{
	for (unsigned save = 2; save <= saves; save++) {
		while (disk.begun.load() < save)
			std::this_thread::yield();
		disk.visited.store(save);
		pass(save % 2 == 0);
	}
}

void work(unsigned number)
{
	number == 0 ? caretaker() : visit();
}

} // namespace door

int main(int argc, char **argv)
{
	using namespace door;
	writes_within = program_has_fault(argc, argv);
	pass(true); // a process's first transaction is never tried in hardware
	program_run(2, work);
	bool is_right = visitors.inside() == 2 && visitors.entered == saves / 2 + 1 && disk.sum == 0;
	return program_result(is_right && disk.ended == saves, visitors.entered + disk.ended);
}
