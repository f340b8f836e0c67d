/* SPDX-License-Identifier: MIT
 *
 * A ticket shop. Each counter sells seats of its own hall; a sale that fills a row is written to the shop's journal,
 * which is as slow as a disk. The fault: the line is printed within the transaction that sells, which therefore becomes
 * irrevocable, and the other counter waits for the disk. Without the fault the sale keeps the row, and the line is
 * printed after the commit. usage: alone with|without
 */
#include "program.h"

#include <stdio.h>
#include <sys/types.h>
#include <time.h>

enum { COUNTERS = 2, ROWS = 150, SEATS = 20, DISK_NS = 500000 };

static struct hall {
	_Alignas(64) uint64_t sold;
	uint64_t income;
	uint64_t full_rows;
} halls[COUNTERS];

static FILE *journal;
static uint64_t journal_bytes;
static bool prints_within;

/* The journal's device. */
static ssize_t write_slowly(void *cookie, const char *line, size_t size)
{
	(void)cookie;
	(void)line;
	nanosleep(&(struct timespec){.tv_nsec = DISK_NS}, NULL);
	__atomic_fetch_add(&journal_bytes, size, __ATOMIC_RELAXED);
	return (ssize_t)size;
}

static bool open_journal(void)
{
	cookie_io_functions_t device = {.write = write_slowly};
	journal = fopencookie(NULL, "w", device);
	return journal != NULL && setvbuf(journal, NULL, _IOLBF, 0) == 0;
}

/* Returns the number of the row that this sale has filled, or 0. */
static __attribute__((noinline)) uint64_t sell_seat(struct hall *hall, unsigned price)
{
	uint64_t row = 0;
	__transaction_atomic
	{
		hall->sold++;
		hall->income += price;
		if (hall->sold % SEATS == 0)
			row = ++hall->full_rows;
	}
	return row;
}

static __attribute__((noinline)) void sell_and_print(struct hall *hall, unsigned price)
{
	__transaction_relaxed
	{
		hall->sold++;
		hall->income += price;
		if (hall->sold % SEATS == 0) {
			hall->full_rows++;
			fprintf(journal, "row %3u is full\n", (unsigned)hall->full_rows);
		}
	}
}

static void serve(unsigned counter)
{
	struct hall *hall = &halls[counter];
	for (unsigned sale = 0; sale < ROWS * SEATS; sale++) {
		unsigned price = 10 + sale % 7;
		uint64_t row = 0;
		if (prints_within)
			sell_and_print(hall, price);
		else
			row = sell_seat(hall, price);
		if (row != 0)
			fprintf(journal, "row %3u is full\n", (unsigned)row);
		program_work(1000);
	}
}

int main(int argc, char **argv)
{
	prints_within = program_has_fault(argc, argv);
	if (!open_journal())
		return 3;
	program_run(COUNTERS, serve);
	fclose(journal);
	uint64_t sold = 0, rows = 0, income = 0;
	for (unsigned i = 0; i < COUNTERS; i++) {
		sold += halls[i].sold;
		rows += halls[i].full_rows;
		income += halls[i].income;
	}
	bool is_right = sold == COUNTERS * ROWS * SEATS && rows == COUNTERS * ROWS && journal_bytes == rows * 16;
	return program_result(is_right, income + journal_bytes);
}
