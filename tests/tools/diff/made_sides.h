/* SPDX-License-Identifier: MIT
 * Sides of runs that are made of one run each, compared, and what the text of that has. */
#ifndef MADE_SIDES_H
#define MADE_SIDES_H

#include "usual_diff.h"
#include "text_has.h"

/* Loads so many runs as `made` per side; each is a bit longer than the one before. */
static inline void load(
	const struct diff_options *options, const struct made_run sides[2], size_t old_len, size_t new_len)
{
	diff_begin(options, old_len, new_len);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < (side == DIFF_OLD ? old_len : new_len); i++) {
			struct made_run made = sides[side];
			for (size_t k = 0; k < 2; k++)
				made.lost_ns[k] += made.lost_ns[k] * i / 100;
			made_run_save(&made, temp_dir_path("run"));
			load_saved(side);
		}
	}
}

static inline void compare(const struct diff_options *options, const struct made_run sides[2])
{
	load(options, sides, RUNS, RUNS);
	assert_true(diff_compare(&diff));
}

/* Makes one line of each that was folded. */
static inline void unfold(char *text)
{
	char *to = text;
	for (const char *at = text; *at != '\0'; at++) {
		bool is_fold = strncmp(at, "\n    ", 5) == 0;
		*to++ = is_fold ? ' ' : *at;
		if (is_fold)
			at += strspn(at + 1, " ");
	}
	*to = '\0';
}

static inline void expect_printed(const char *words)
{
	OWNED(owned_free) char *text = printed(diff_text);
	unfold(text);
	assert_has(text, words);
}

#endif
