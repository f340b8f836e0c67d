/* SPDX-License-Identifier: MIT
 * Sides of runs that are made of one run each, compared, and what the text of that has. */
#ifndef MADE_SIDES_H
#define MADE_SIDES_H

#include "usual_diff.h"
#include "temp_dir.h"
#include "text_has.h"

/* Loads so many runs as `made` per side; each is a bit longer than the one before. */
static inline struct diff loaded(
	const struct diff_options *options, const struct made_run sides[2], size_t old_len, size_t new_len)
{
	const size_t lens[2] = {old_len, new_len};
	const char *path = temp_dir_path("run");
	struct diff diff = diff_init(options, lens);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < lens[side]; i++) {
			struct made_run made = sides[side];
			for (size_t k = 0; k < 2; k++)
				made.lost_ns[k] += made.lost_ns[k] * i / 100;
			made_run_save(&made, path);
			assert_true(diff_load(&diff, side, path));
		}
	}
	return diff;
}

static inline struct diff compared(const struct diff_options *options, const struct made_run sides[2])
{
	struct diff diff = loaded(options, sides, RUNS, RUNS);
	assert_true(diff_compare(&diff));
	return diff;
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

static inline void expect_printed(const struct diff *diff, const char *words)
{
	char *text = printed(diff, diff_text);
	unfold(text);
	assert_has(text, words);
	free(text);
}

#endif
