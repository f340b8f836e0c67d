/* SPDX-License-Identifier: MIT
 *
 * Words are counted: two threads read two copies of a text. The fault: both count into one table, so that a count()
 * loses to the other thread's count() of the same word, whichever word it is. Without the fault each thread has a table
 * of its own, and the tables are summed up at the end. usage: self-conflict with|without
 */
#include "meeting.h"
#include "program.h"

#include <stdio.h>
#include <string.h>

enum { READERS = 2, SLOTS = 128, WORD = 16, WORDS = 250, LOOKING_UP = 100000, NOTING = 100000 };

static const char *const vocabulary[] = {"whale", "ship", "sea", "captain", "harpoon", "mast", "sail", "storm", "deck",
	"rope", "boat", "crew", "island", "port", "anchor", "wind", "wave", "night", "watch", "oil", "lamp", "chart",
	"star", "compass", "rudder"};

enum { VOCABULARY = sizeof vocabulary / sizeof *vocabulary };

struct slot {
	_Alignas(64) char word[WORD];
	uint64_t count;
};

struct table {
	struct slot slots[SLOTS];
};

static struct table tables[READERS];
static bool share_table;

static unsigned hash(const char *word)
{
	unsigned sum = 5381;
	while (*word != '\0')
		sum = sum * 33 + (unsigned char)*word++;
	return sum;
}

/* The words are entered beforehand, so that the threads change nothing but counts. */
static struct slot *slot_of(struct table *table, const char *word)
{
	unsigned at = hash(word) % SLOTS;
	while (table->slots[at].word[0] != '\0' && strcmp(table->slots[at].word, word) != 0)
		at = (at + 1) % SLOTS;
	return &table->slots[at];
}

static void enter_words(struct table *table)
{
	for (unsigned i = 0; i < VOCABULARY; i++)
		snprintf(slot_of(table, vocabulary[i])->word, WORD, "%s", vocabulary[i]);
}

static __attribute__((noinline)) void count(struct slot *slot)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(LOOKING_UP);
		slot->count++;
		meeting_hold();
		program_work(NOTING);
	}
}

/* The text: the same for both. */
static const char *word_at(unsigned position)
{
	return vocabulary[position * 7 % VOCABULARY];
}

static void read_text(unsigned number)
{
	struct table *table = &tables[share_table ? 0 : number];
	meeting_join(number, READERS, share_table ? WORDS - 50 : 0);
	for (unsigned i = 0; i < WORDS; i++) {
		meeting_next();
		count(slot_of(table, word_at(i)));
	}
}

int main(int argc, char **argv)
{
	share_table = program_has_fault(argc, argv);
	for (unsigned i = 0; i < READERS; i++)
		enter_words(&tables[i]);
	program_run(READERS, read_text);
	uint64_t max = 0, sum = 0;
	for (unsigned i = 0; i < VOCABULARY; i++) {
		uint64_t found = 0;
		for (unsigned t = 0; t < READERS; t++)
			found += slot_of(&tables[t], vocabulary[i])->count;
		max = found > max ? found : max;
		sum += found;
	}
	return program_result(sum == READERS * WORDS && max == READERS * WORDS / VOCABULARY, sum);
}
