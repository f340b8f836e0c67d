/* SPDX-License-Identifier: MIT
 *
 * The symbol table of a compiler: a hash table with chains, and the number of its symbols. Functions are compiled side
 * by side; each declares names, looks for names, and forgets its own.
 */
#include "crew.h"

enum { BUCKETS = 4096, NAMES = 2048, LOOKS = 16, THREADS = 2 };

struct symbol {
	_Alignas(32) struct symbol *next;
	long name;
	long type;
};

#ifdef FIXED
static struct {
	_Alignas(128) struct symbol **buckets;
	unsigned long mask;
	_Alignas(128) long size;
} table;
#else
static struct {
	_Alignas(128) struct symbol **buckets;
	unsigned long mask;
	long size;
} table;
#endif
static struct symbol *buckets[BUCKETS], symbols[MEMBERS_MAX][NAMES];
static struct {
	_Alignas(128) long types;
} seen[MEMBERS_MAX];

TM_SAFE static struct symbol **find(long name)
{
	struct symbol **place = &table.buckets[(unsigned long)name & table.mask];
	while (*place != NULL && (*place)->name < name)
		place = &(*place)->next;
	return place;
}

static void declare(struct symbol *symbol)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct symbol **place = find(symbol->name);
		symbol->next = *place;
		*place = symbol;
		table.size++;
		stamp_last();
	}
	stamp_after();
}

static void forget(struct symbol *symbol)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct symbol **place = find(symbol->name);
		if (*place == symbol) {
			*place = symbol->next;
			table.size--;
		}
		stamp_last();
	}
	stamp_after();
}

static long type_of(long name)
{
	long type = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct symbol **place = find(name);
		if (*place != NULL && (*place)->name == name)
			type = (*place)->type;
		stamp_last();
	}
	stamp_after();
	return type;
}

static void compile(struct member *me)
{
	struct symbol *own = symbols[me->number];
	for (long i = 0; i < NAMES; i++) {
		own[i].name = i * MEMBERS_MAX + me->number;
		own[i].type = (long)member_random(me, 100);
	}
	while (is_open()) {
		struct symbol *symbol = &own[member_random(me, NAMES)];
		declare(symbol);
		for (int i = 0; i < LOOKS; i++)
			seen[me->number].types += type_of((long)member_random(me, NAMES * MEMBERS_MAX));
		forget(symbol);
	}
}

int main(int argc, char **argv)
{
	table.buckets = buckets;
	table.mask = BUCKETS - 1;
	int status = crew_run(argc, argv, THREADS, compile);
	return seen[0].types < 0 || table.size != 0 ? 1 : status;
}
