/* SPDX-License-Identifier: MIT
 *
 * An order book on the heap: for each kind of its data a function that all threads run at the same time. Each function
 * reaches its data in another way. usage: orders [THREADS [ROUNDS]]
 */
#include <pthread.h>

#include "meeting.h"
#include "program.h"

namespace exchange
{

struct Stats {
	long trades;
	long volume;
};

struct alignas(64) Level {
	long price;
	long quantity;
	Level *next;
};

struct Base {
	long version;
	long flags;
};

struct Book : Base {
	long next_id;
	Stats stats;
	Level levels[4];
	Level *best;
	long padding[4];
	long tail[4];
};

Book *book;
unsigned threads, rounds;
pthread_barrier_t barrier;

#define PLACE __attribute__((noinline))

PLACE long place(Book *to)
{
	long id = 0;
	__transaction_atomic
	{
		meeting_enter();
		id = to->next_id++;
		meeting_hold();
	}
	return id;
}

PLACE void trade(Book &in, long amount)
{
	__transaction_atomic
	{
		meeting_enter();
		in.stats.volume += amount;
		meeting_hold();
	}
}

PLACE void fill(Book *to, unsigned long price)
{
	__transaction_atomic
	{
		meeting_enter();
		to->levels[price % 4].quantity += 1;
		meeting_hold();
	}
}

PLACE void change()
{
	__transaction_atomic
	{
		meeting_enter();
		book->version++;
		meeting_hold();
	}
}

PLACE void follow(Book *from)
{
	__transaction_atomic
	{
		meeting_enter();
		from->best->next->price += 1;
		meeting_hold();
	}
}

PLACE void count(long *where)
{
	__transaction_atomic
	{
		meeting_enter();
		where[2] += /* not the book's type */ 1; // in a comment
		meeting_hold();
	}
}

void body(unsigned number)
{
	static void (*const kinds[])() = {[] { place(book); }, [] { trade(*book, 2); }, [] { fill(book, 3); }, change,
		[] { follow(book); }, [] { count(book->tail); }};
	for (auto kind : kinds) {
		pthread_barrier_wait(&barrier);
		meeting_join(number, threads, program_meetings());
		for (unsigned i = 0; i < rounds; i++) {
			meeting_next();
			kind();
		}
	}
}

} // namespace exchange

int main(int argc, char **argv)
{
	using namespace exchange;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 100);
	book = new Book();
	book->best = new Level();
	book->best->next = new Level();
	pthread_barrier_init(&barrier, nullptr, threads);
	program_run(threads, body);
	uint64_t sum = static_cast<uint64_t>(book->next_id + book->stats.volume / 2 + book->levels[3].quantity +
		book->version + book->best->next->price + book->tail[2]);
	return program_result(sum == uint64_t{6} * rounds * threads, sum);
}
