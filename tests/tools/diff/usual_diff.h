/* SPDX-License-Identifier: MIT
 * The comparison of a test: its usual options, and what is printed of it. */
#ifndef USUAL_DIFF_H
#define USUAL_DIFF_H

#include "loaded.h"

#include "diff.h"
#include "made_runs.h"
#include "temp_dir.h"

enum { RUNS = 10 };

static const struct diff_options usual = {.metric = DIFF_LOST, .threshold = 0.1, .alpha = 0.05, .top = DIFF_TOP};

static struct diff diff;

/* In place of the comparison before. */
static inline void diff_begin(const struct diff_options *options, size_t old_len, size_t new_len)
{
	diff_fini(&diff);
	diff = diff_init(options, (const size_t[]){old_len, new_len});
}

/* Loads the run that was saved as temp_dir_path("run"). */
static inline void load_saved(int side)
{
	assert_true(diff_load(&diff, side, temp_dir_path("run")));
}

static void diff_set_up(void)
{
	temp_dir_set_up();
	memset(&diff, 0, sizeof diff);
}

static void diff_tear_down(void)
{
	diff_fini(&diff);
	temp_dir_tear_down();
}

static const struct test_fixture diff_fixture = {diff_set_up, diff_tear_down};

/* The output of `print`; the caller frees it. */
static inline char *printed(void (*print)(const struct diff *diff, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	print(&diff, out);
	fclose(out);
	return text;
}

#endif
