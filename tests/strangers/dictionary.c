/* SPDX-License-Identifier: MIT
 *
 * A dictionary: a hash table with chains, which knows how many words it has. New words are only let in while the table
 * is not too full.
 */
#include "crew.h"

enum { BUCKETS = 512, WORDS = 8192, THREADS = CREW_THREADS(2) };

struct word {
	struct word *next;
	long key;
	long uses;
};

static struct {
	_Alignas(128) long size;
	_Alignas(128) struct word *buckets[BUCKETS];
} dictionary;
static struct word words[THREADS][WORDS];

TM_SAFE static struct word **find(long key)
{
	struct word **place = &dictionary.buckets[(unsigned long)key * 2654435761u % BUCKETS];
	while (*place != NULL && (*place)->key < key)
		place = &(*place)->next;
	return place;
}

static bool insert(struct word *word)
{
	bool is_new = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifndef FIXED
		if (dictionary.size < BUCKETS * 32)
#endif
		{
			struct word **place = find(word->key);
			word->next = *place;
			*place = word;
			is_new = true;
#ifndef FIXED
			dictionary.size++;
#endif
		}
		stamp_last();
	}
	stamp_after();
	return is_new;
}

static void erase(long key)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct word **place = find(key);
		if (*place != NULL && (*place)->key == key) {
			*place = (*place)->next;
#ifndef FIXED
			dictionary.size--;
#endif
		}
		stamp_last();
	}
	stamp_after();
}

static void look_up(long key)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct word **place = find(key);
		if (*place != NULL && (*place)->key == key)
			(*place)->uses++;
		stamp_last();
	}
	stamp_after();
}

/* Each thread has words of its own, in or out of the dictionary. */
static void edit(struct member *me)
{
	static bool is_in[THREADS][WORDS];
	struct word *own = words[me->number];
	for (long i = 0; i < WORDS; i++)
		own[i].key = i * THREADS + me->number;
	while (is_open()) {
		uint64_t i = member_random(me, WORDS);
		if (is_in[me->number][i]) {
			erase(own[i].key);
			is_in[me->number][i] = false;
		} else {
			is_in[me->number][i] = insert(&own[i]);
		}
		if (member_random(me, 8) == 0)
			look_up((long)member_random(me, THREADS * WORDS));
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, edit);
}
