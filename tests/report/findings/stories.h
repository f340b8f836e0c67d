/* SPDX-License-Identifier: MIT
 * Losses that are the story of a rule, and losses of no story. */
#ifndef STORIES_H
#define STORIES_H

#include "found.h"

enum { LOST = 100000000, ABORTS = 100, ABORT_NS = LOST / ABORTS, WORD = 0x10000 };

static inline uint32_t at(const char *function, uint32_t line)
{
	return made_traceback(&made, made_site(&made, function, line), STMLOG_NO_SITE);
}

/* Losses of no story. */
static inline void lose_elsewhere(uint64_t count, uint64_t lost_ns)
{
	made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "cancel", count, lost_ns);
}

/* ---- of lost time ---- */

static inline void lose_to_irrevocable(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, lost_ns);
	uint32_t request = made_site(&made, "audit", 12), begin = made_site(&made, "audit", 10);
	entry->local = at("place", 20);
	entry->remote = made_traceback(&made, request, begin);
}

static inline void lose_to_starved(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, lost_ns);
	uint32_t begin = made_site(&made, "sum", 10);
	entry->remote =
		made_traceback(&made, begin, made_site(&made, "(starved: runs alone after 101 failed attempts)", 0));
}

static inline void lose_to_reader(uint64_t lost_ns)
{
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT_WAIT", 3, lost_ns);
	entry->local = at("place", 20);
	entry->remote = at("read_all", 30);
}

static inline void lose_to_place(uint64_t lost_ns)
{
	made_loss(&made, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ", 3, lost_ns / 2)->remote = at("one", 10);
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_WRITE, "", 3, lost_ns - lost_ns / 2);
	entry->local = at("other", 20);
	entry->remote = made.entries[made.recording.entry_count - 2].remote;
}

/* More threads than processors, and a tenth of their time off them. */
static inline void lose_to_descheduled(uint64_t lost_ns)
{
	made.recording.info.processors = MADE_THREADS - 1;
	made.recording.info.descheduled_known = 1;
	for (size_t i = 0; i < MADE_THREADS; i++)
		made.threads[i].descheduled_ns = MADE_THREADS_NS / MADE_THREADS / 10;
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_WRITE, "", 2, lost_ns);
	entry->local = at("place", 20);
}

/* ---- of counts ---- */

static inline struct stmlog_entry_record *abort_over_data(uint64_t count)
{
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ", count, count * ABORT_NS);
	entry->local = at("take", 51);
	return entry;
}

static inline void abort_over_neighbours(uint64_t count)
{
	struct stmlog_entry_record *entry = abort_over_data(count);
	entry->false_conflicts = count;
	entry->objects[0].address = WORD;
	entry->objects[0].count = count;
	entry->object_others[0] = WORD + 8;
	entry->remote = at("give", 41);
}

static inline void abort_over_aliases(uint64_t count)
{
	abort_over_neighbours(count);
	made.entries[made.recording.entry_count - 1].false_aliases = count;
	made.entries[made.recording.entry_count - 1].object_others[0] = WORD + 1024 * MADE_STRIPE;
}

/* Two places, of which the second has other words, too. */
static inline void abort_over_word(uint64_t count)
{
	for (uint64_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry = abort_over_data(i == 0 ? count / 2 : count - count / 2);
		entry->local = at(i == 0 ? "bid" : "ask", 30);
		entry->objects[i].address = WORD;
		entry->objects[i].count = entry->count;
	}
}

static inline void abort_because_of_itself(uint64_t count)
{
	struct stmlog_entry_record *entry = abort_over_data(count);
	entry->site = made_site(&made, "take", 50);
	entry->remote = made_traceback(&made, made_site(&made, "take", 52), entry->site);
}

/* A tenth of the aborts in one direction. */
static inline void abort_each_other(uint64_t count)
{
	uint64_t counts[] = {count - (count + 9) / 10, (count + 9) / 10};
	uint32_t sites[] = {made_site(&made, "put", 60), made_site(&made, "take", 50)};
	for (size_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry = abort_over_data(counts[i]);
		entry->site = sites[i];
		entry->remote = made_traceback(&made, sites[1 - i], STMLOG_NO_SITE);
	}
}

#endif
