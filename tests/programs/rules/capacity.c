/* SPDX-License-Identifier: MIT
 *
 * A column of a table is revalued by a percentage, by two threads with a part of the rows each. The fault: each part is
 * one transaction, of more cache lines than a processor can watch in hardware. Without the fault a transaction has
 * eight rows. For libitm's method htm. usage: capacity with|without
 */
#include "program.h"

enum { THREADS = 2, PARTS = 150, ROWS = 2048, FEW_ROWS = 8, PERCENT = 3 };

struct row {
	_Alignas(64) uint64_t key;
	uint64_t cents;
	uint64_t version;
};

static struct column {
	struct row rows[ROWS];
} columns[THREADS];

static unsigned rows_at_once;

static void fill(struct column *column, unsigned number)
{
	for (unsigned i = 0; i < ROWS; i++)
		column->rows[i] = (struct row){.key = i, .cents = 10000 + number * 100 + i % 10, .version = 0};
}

static uint64_t raised(uint64_t cents)
{
	return cents + cents * PERCENT / 100 % 1000;
}

static __attribute__((noinline)) void revalue(struct row *rows, unsigned count)
{
	__transaction_atomic
	{
		for (unsigned i = 0; i < count; i++) {
			uint64_t cents = rows[i].cents;
			rows[i].cents = cents + cents * PERCENT / 100 % 1000;
			rows[i].version++;
		}
	}
}

/* With the fault each time all rows; without it one batch of them in turn, for as many transactions. */
static void revalue_column(unsigned number)
{
	struct column *column = &columns[number];
	for (unsigned part = 0; part < PARTS; part++) {
		unsigned first = part * rows_at_once % ROWS;
		revalue(&column->rows[first], rows_at_once);
	}
}

/* What a row has that was revalued so often. */
static uint64_t expected(uint64_t cents, uint64_t times)
{
	while (times-- > 0)
		cents = raised(cents);
	return cents;
}

static bool is_right(const struct column *column, unsigned number)
{
	uint64_t versions = 0;
	for (unsigned i = 0; i < ROWS; i++) {
		const struct row *row = &column->rows[i];
		if (row->key != i || row->cents != expected(10000 + number * 100 + i % 10, row->version))
			return false;
		versions += row->version;
	}
	return versions == (uint64_t)PARTS * rows_at_once;
}

int main(int argc, char **argv)
{
	rows_at_once = program_has_fault(argc, argv) ? ROWS : FEW_ROWS;
	bool are_right = true;
	uint64_t sum = 0;
	for (unsigned i = 0; i < THREADS; i++)
		fill(&columns[i], i);
	program_run(THREADS, revalue_column);
	for (unsigned i = 0; i < THREADS; i++) {
		are_right = are_right && is_right(&columns[i], i);
		sum += columns[i].rows[0].cents + columns[i].rows[ROWS - 1].cents;
	}
	return program_result(are_right, sum);
}
