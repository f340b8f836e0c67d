/* SPDX-License-Identifier: MIT
 * The work of a timeline that a test gives as text; each takes the place of the one before. */
#ifndef BUILT_WORK_H
#define BUILT_WORK_H

#include "loaded.h"

#include "timeline_text.h"
#include "work.h"

static struct recording recording;
static struct work work;

static void drop(void)
{
	work_fini(&work);
	recording_fini(&recording);
}

static const struct test_fixture built_work = {.tear_down = drop};

/* Returns false if the timeline contradicts itself. */
static inline bool is_built(uint32_t threads, const char *text)
{
	struct writer writer;
	drop();
	timeline_text(&writer, threads, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	return work_build(&work, &recording);
}

static inline void build_right(uint32_t threads, const char *text)
{
	if (!is_built(threads, text))
		fail_msg("%s", work_fault(&work, &recording).text);
}

#endif
