/* SPDX-License-Identifier: MIT
 *
 * A mailbox of one letter. The fault: the reader looks into it in a transaction that it cancels while there is no
 * letter, again and again. Without the fault it waits on a semaphore before it looks. usage: poll with|without
 */
#include "program.h"

#include <semaphore.h>

enum { LETTERS = 2000, WRITING = 100000 };

static struct {
	_Alignas(64) bool is_full;
	uint64_t letter;
} box;

static bool polls;
static sem_t letters, rooms;
static uint64_t sum;

static __attribute__((noinline)) bool take(uint64_t *letter)
{
	bool has_taken = false;
	__transaction_atomic
	{
		if (!box.is_full)
			__transaction_cancel;
		*letter = box.letter;
		box.is_full = false;
		has_taken = true;
	}
	return has_taken;
}

static __attribute__((noinline)) void put(uint64_t letter)
{
	__transaction_atomic
	{
		box.letter = letter;
		box.is_full = true;
	}
}

static void read_letters(void)
{
	for (unsigned i = 0; i < LETTERS; i++) {
		uint64_t letter = 0;
		while (!polls && sem_wait(&letters) != 0)
			;
		while (!take(&letter))
			;
		sum += letter;
		sem_post(&rooms);
	}
}

static void write_letters(void)
{
	for (uint64_t i = 1; i <= LETTERS; i++) {
		while (sem_wait(&rooms) != 0)
			;
		program_work(WRITING);
		put(i);
		sem_post(&letters);
	}
}

static void work(unsigned number)
{
	number == 0 ? read_letters() : write_letters();
}

int main(int argc, char **argv)
{
	polls = program_has_fault(argc, argv);
	sem_init(&letters, 0, 0);
	sem_init(&rooms, 0, 1);
	program_run(2, work);
	return program_result(sum == (uint64_t)LETTERS * (LETTERS + 1) / 2, sum);
}
