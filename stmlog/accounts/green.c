/* SPDX-License-Identifier: MIT
 * A table of green threads by label or number. It is the section as it stands in the file. Records are added by one
 * thread at a time, and never move; they are found without waiting, and their sums are added up atomically. */
#include "green.h"

#include <string.h>

#include <atomic_ops.h>

#include "check.h"

_Static_assert(sizeof(struct stmlog_green_record) == 72 && sizeof(AO_t) == sizeof(uint64_t),
	"the format's records have no hidden padding, and their sums are added to as AO_t");
_Static_assert(STMLOG_GREEN_MAX <= UINT16_MAX, "a loss has 16 bits for a number");

/* 1: some thread adds a record. Partners: begin_adding() (acquire); find_or_add() (release). */
static volatile AO_t is_adding;
static struct stmlog_green_record records[STMLOG_GREEN_MAX];
/* Records [0, count) are complete. Partners: add() (release); find(), green_copy() (acquire). */
static volatile AO_t count;

void green_forget(void)
{
	AO_store(&is_adding, 0); /* another thread may have set it when the process forked */
	AO_store(&count, 0);
	memset(records, 0, sizeof records);
}

/* A label stands for all threads that have it. */
static bool is_of(const struct stmlog_green_record *record, uint64_t id, const char *label)
{
	if (label[0] == '\0')
		return record->label[0] == '\0' && record->id == id;
	return strncmp(record->label, label, sizeof record->label - 1) == 0;
}

/* STMLOG_GREEN_MAX: there is none. */
static size_t find(uint64_t id, const char *label)
{
	for (size_t i = 0; i < AO_load_acquire(&count); i++)
		if (is_of(&records[i], id, label))
			return i;
	return STMLOG_GREEN_MAX;
}

/* Requires that there is room. */
static size_t add(uint64_t id, const char *label)
{
	REQUIRES(AO_load(&count) < STMLOG_GREEN_MAX);
	size_t last = AO_load(&count);
	records[last].id = id;
	memcpy(records[last].label, label, strnlen(label, sizeof records[last].label - 1));
	AO_store_release(&count, last + 1);
	return last;
}

/* Returns false if the thread that adds does not go on: a signal handler, which calls this, may have interrupted it. */
static bool begin_adding(void)
{
	enum { TRIES = 100000 };
	int tries = 0;
	while (tries < TRIES && !AO_compare_and_swap_full(&is_adding, 0, 1))
		tries++;
	return tries < TRIES;
}

static size_t find_or_add(uint64_t id, const char *label)
{
	if (!begin_adding())
		return STMLOG_GREEN_MAX;
	size_t found = find(id, label);
	if (found == STMLOG_GREEN_MAX && AO_load(&count) < STMLOG_GREEN_MAX)
		found = add(id, label);
	AO_store_release(&is_adding, 0);
	return found;
}

uint16_t stmlog_green_thread(uint64_t id, const char *label)
{
	size_t found = find(id, label);
	if (found == STMLOG_GREEN_MAX && AO_load(&count) < STMLOG_GREEN_MAX)
		found = find_or_add(id, label);
	if (found == STMLOG_GREEN_MAX)
		return 0;
	if (STMLOG_LOAD_RELAXED(&records[found].id) != id)
		STMLOG_STORE_RELAXED(&records[found].id, 0);
	return (uint16_t)(found + 1);
}

static void add_to(uint64_t *sum, uint64_t more)
{
	AO_fetch_and_add((volatile AO_t *)sum, more);
}

void green_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra)
{
	uint64_t estimated_ns = ns * (1 + (uint64_t)extra);
	if (loss->cause.reason == STMLOG_USER_ABORT)
		return;
	if (loss->green != 0 && loss->green <= AO_load(&count)) {
		add_to(&records[loss->green - 1].count, 1);
		add_to(&records[loss->green - 1].estimated_ns, estimated_ns);
	}
	if (loss->remote_green != 0 && loss->remote_green <= AO_load(&count)) {
		add_to(&records[loss->remote_green - 1].led_count, 1);
		add_to(&records[loss->remote_green - 1].led_estimated_ns, estimated_ns);
	}
}

void green_copy(struct buffer *section)
{
	size_t len = AO_load_acquire(&count);
	if (len != 0)
		buffer_append(section, records, len * sizeof *records);
}
