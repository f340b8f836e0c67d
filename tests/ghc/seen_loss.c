/* SPDX-License-Identifier: MIT
 * Sees the rooms of the library in place of those of the module. */
#include "seen_loss.h"

#include "sections.h"
#include "session.h"
#include "timelog.h"

#include <string.h>

static struct seen_loss see(const struct group *group)
{
	struct seen_loss seen = {.entry = group->entry};
	seen.entry.cause.detail = words_text(group->entry.cause.detail);
	tb_copy_take(&seen.local, group->entry.local);
	tb_copy_take(&seen.remote, group->entry.remote);
	return seen;
}

size_t losses_see(struct seen_loss *seen, size_t max)
{
	OWNED(gathered_fini) struct gathered gathered;
	assert_int_equal(gather(&gathered, 0), 0);
	size_t len = gathered.log->len;
	for (size_t i = 0; i < len && i < max; i++)
		seen[i] = see(timelog_at(gathered.log, i));
	return len;
}

struct seen_loss losses_only(uint64_t count)
{
	struct seen_loss seen;
	assert_int_equal(losses_see(&seen, 1), 1);
	assert_int_equal(seen.entry.count, count);
	return seen;
}

struct seen_loss losses_to_one(uint64_t count)
{
	struct seen_loss seen[2];
	size_t len = losses_see(seen, 2);
	assert_in_range(len, 1, 2);
	if (len == 2) {
		seen[0].entry.count += seen[1].entry.count;
		seen[0].entry.certain += seen[1].entry.certain;
		seen[0].entry.lost_ns += seen[1].entry.lost_ns;
	}
	assert_int_equal(seen[0].entry.count, count);
	return seen[0];
}

struct seen_loss losses_word(const char *word)
{
	struct seen_loss seen = losses_only(1);
	assert_string_equal(seen.entry.cause.detail, word);
	return seen;
}

void assert_frame(const struct tb_copy *traceback, size_t index, uintptr_t code)
{
	assert_true(index < traceback->len);
	enum { MARKS = 4 }; /* of the innermost one (walk.h) */
	uintptr_t mark = traceback->sites[index].position - code;
	assert_true(mark < (index == 0 ? MARKS : 1));
}

uint64_t losses_wakes_by(uintptr_t code)
{
	OWNED(spent_fini) struct spent spent;
	uint64_t sum = 0;
	assert_int_equal(spent_gather(&spent), 0);
	for (size_t i = 0; i < spent.tries_count; i++)
		for (size_t k = 0; k < STMLOG_WAKERS; k++)
			if (spent.tries[i].wakers[k].position == code)
				sum += spent.tries[i].blocked.wakers[k].count;
	return sum;
}

uint64_t losses_for_ever(void)
{
	OWNED(spent_fini) struct spent spent;
	uint64_t sum = 0;
	assert_int_equal(spent_gather(&spent), 0);
	for (size_t i = 0; i < spent.tries_count; i++)
		sum += spent.tries[i].blocked.for_ever;
	return sum;
}
