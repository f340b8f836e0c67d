/* SPDX-License-Identifier: MIT
 *
 * The same as heap.c, in C++: a global object, a static member of a template, and memory from new, new[] and
 * containers, also within a transaction; by functions of a template, one of which is left by an exception.
 * usage: objects [THREADS [ROUNDS]]
 */
#include <pthread.h>

#include <vector>

#include "meeting.h"
#include "program.h"

namespace market
{

constexpr unsigned work = 1000, kinds = 6;

template <typename T> struct stall {
	T stock = 0;
	T sold = 0;
};

template <typename T> struct shop {
	static T till;
};
template <typename T> T shop<T>::till = 0;

stall<uint64_t> corner;
stall<uint64_t> *rented, *row, *hired;
std::vector<uint64_t> *shelf;
unsigned threads, rounds;
pthread_barrier_t barrier;

/* Takes time without touching memory. The result must be used. */
__attribute__((transaction_safe)) inline uint64_t busy(uint64_t number)
{
	for (unsigned i = 0; i < work; i++)
		number = number * 6364136223846793005u + 1442695040888963407u;
	return number;
}

template <unsigned kind, typename T> __attribute__((noinline)) uint64_t raise(T &cell)
{
	uint64_t spent;
	__transaction_atomic
	{
		meeting_enter();
		cell += 1;
		spent = busy(cell);
		meeting_hold();
	}
	return spent;
}

/* In a transaction a clone of it runs, which has another name. */
template <typename T> __attribute__((noinline, transaction_safe)) void add_one(T &cell)
{
	cell += 1;
}

__attribute__((noinline)) void sell_last(uint64_t &cell)
{
	__transaction_atomic
	{
		meeting_enter();
		add_one(cell);
		meeting_hold();
		throw busy(cell);
	}
}

uint64_t sell(uint64_t &cell)
{
	try {
		sell_last(cell);
	} catch (uint64_t spent) {
		return spent;
	}
	return 0;
}

__attribute__((noinline)) void rent()
{
	rented = new stall<uint64_t>;
}

__attribute__((noinline)) void build_row()
{
	row = new stall<uint64_t>[8];
}

__attribute__((noinline)) void fill_shelf()
{
	shelf = new std::vector<uint64_t>;
	for (unsigned i = 0; i < 100; i++)
		shelf->push_back(0);
}

__attribute__((noinline)) void hire()
{
	__transaction_atomic
	{
		hired = new stall<uint64_t>;
	}
}

uint64_t &cell(unsigned kind)
{
	switch (kind) {
	case 0:
		return corner.sold;
	case 1:
		return shop<uint64_t>::till;
	case 2:
		return rented->sold;
	case 3:
		return row[4].sold;
	case 4:
		return (*shelf)[50];
	default:
		return hired->sold;
	}
}

void body(unsigned number)
{
	uint64_t (*const raises[kinds])(uint64_t &) = {sell, raise<1>, raise<2>, raise<3>, raise<4>, raise<5>};
	for (unsigned kind = 0; kind < kinds; kind++) {
		pthread_barrier_wait(&barrier);
		meeting_join(number, threads, program_meetings());
		for (unsigned i = 0; i < rounds; i++) {
			meeting_next();
			raises[kind](cell(kind));
		}
	}
}

uint64_t total()
{
	uint64_t sum = 0;
	for (unsigned kind = 0; kind < kinds; kind++)
		sum += cell(kind);
	return sum;
}

} // namespace market

int main(int argc, char **argv)
{
	market::threads = program_threads(argc, argv);
	market::rounds = program_number(argc, argv, 2, 1000);
	market::rent();
	market::build_row();
	market::fill_shelf();
	market::hire();
	pthread_barrier_init(&market::barrier, nullptr, market::threads);
	program_run(market::threads, market::body);
	const uint64_t sum = market::total();
	return program_result(sum == static_cast<uint64_t>(market::rounds) * market::threads * market::kinds, sum);
}
