/* SPDX-License-Identifier: MIT
 *
 * A public library with two desks, and three faults at once: each loan takes its number from one counter; what is lent
 * and what is given back is counted side by side, although each desk counts one of them only; and a reminder is printed
 * within the transaction that finds the reader. usage: six_library
 */
#include "meet.h"
#include "meeting.h"
#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PLACE __attribute__((noinline))

enum { DESKS = 2, MEETINGS_OF_EACH = 300, ROUNDS = 2 * MEETINGS_OF_EACH + 60, REMINDERS = 50, READERS = 32 };
enum { SEARCHING = 300000, STAMPING = 300000 };

struct loan {
	uint64_t number, book;
};

static _Alignas(64) uint64_t next_loan_number = 1;
static _Alignas(64) struct {
	uint64_t lent, given_back;
} desk_tallies;
static struct shelf {
	_Alignas(64) struct loan loans[ROUNDS];
	uint64_t len;
} shelves[DESKS];
static struct reader {
	_Alignas(64) uint64_t overdue, reminded;
} readers[READERS];
static unsigned at_printer, printed;
static int printer;
static long printer_ns;

static PLACE void lend(struct shelf *shelf, uint64_t book)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(SEARCHING);
		struct loan *loan = &shelf->loans[shelf->len++];
		loan->number = next_loan_number++;
		loan->book = book;
		meeting_hold();
		program_work(STAMPING);
	}
}

static PLACE void tally(uint64_t *count)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(SEARCHING);
		*count += 1;
		meeting_hold();
		program_work(STAMPING);
	}
}

/* The printer is slow, and the other desk works on meanwhile. */
static PLACE void print_line(unsigned reader, unsigned number)
{
	char line[32];
	int len = snprintf(line, sizeof line, "reminder for reader %u\n", reader);
	meet_say(&at_printer, number);
	nanosleep(&(struct timespec){.tv_nsec = printer_ns}, NULL);
	if (write(printer, line, (size_t)len) != len)
		perror("printer");
}

static PLACE void remind(struct reader *reader, unsigned number)
{
	__transaction_relaxed
	{
		if (reader->overdue > reader->reminded) {
			reader->reminded = reader->overdue;
			print_line(number % READERS, number);
		}
	}
}

static PLACE void give_back_late(struct reader *reader)
{
	__transaction_atomic
	{
		reader->overdue++;
	}
}

/* Conflicts lose more time on a slow machine, and on a busy one. So the printer takes an eighth of the processor time
 * that they have taken, for all reminders together. */
static void remind_all(void)
{
	printer_ns = clock() * 1000 / 8 / REMINDERS; /* clock() counts microseconds */
	for (unsigned i = 1; i <= REMINDERS; i++) {
		give_back_late(&readers[i % READERS]);
		remind(&readers[i % READERS], i);
		meet_await(&printed, i);
	}
}

static void work_on(void)
{
	for (unsigned i = 1; i <= REMINDERS; i++) {
		meet_await(&at_printer, i);
		give_back_late(&readers[(i + READERS / 2) % READERS]);
		meet_say(&printed, i);
	}
}

static void work(unsigned desk)
{
	meeting_join(desk, DESKS, 2 * MEETINGS_OF_EACH);
	for (unsigned round = 0; round < ROUNDS; round++) {
		meeting_next();
		if (round % 2 == 0)
			lend(&shelves[desk], 1000 + round);
		else
			tally(desk == 0 ? &desk_tallies.lent : &desk_tallies.given_back);
	}
	desk == 0 ? remind_all() : work_on();
}

int main(void)
{
	printer = open("/dev/null", O_WRONLY);
	if (printer < 0)
		return 3;
	program_run(DESKS, work);
	close(printer);
	bool is_right = next_loan_number == ROUNDS + 1 && desk_tallies.lent + desk_tallies.given_back == ROUNDS;
	for (unsigned i = 0; i < DESKS; i++)
		is_right = is_right && shelves[i].len == ROUNDS / 2;
	return program_result(is_right, next_loan_number);
}
