/* SPDX-License-Identifier: MIT
 * The distance between two words is the number of letters to change, leave out, insert, or exchange with their
 * neighbours: what happens when people type. */
#include "similar.h"

#include <stdbool.h>
#include <string.h>

#include "check.h"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Sets row[i], for i from 1 to `len`, to the distance between a word up to its letter *a and the first i letters of
 * `b`. `above` and `two_above` are the rows for one and two letters less of the word; NULL: the word has no such part.
 */
static void fill_row(
	size_t *row, const size_t *above, const size_t *two_above, const char *a, const char *b, size_t len)
{
	for (size_t i = 1; i <= len; i++) {
		size_t changed = above[i - 1] + (*a != b[i - 1]);
		row[i] = smaller(smaller(row[i - 1], above[i]) + 1, changed);
		if (two_above != NULL && i > 1 && *a == b[i - 2] && a[-1] == b[i - 1])
			row[i] = smaller(row[i], two_above[i - 2] + 1);
	}
}

/* Requires that both have at most SIMILAR_LONGEST letters. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[SIMILAR_LONGEST + 1][SIMILAR_LONGEST + 1];
	REQUIRES(a_len <= SIMILAR_LONGEST && b_len <= SIMILAR_LONGEST);
	for (size_t i = 0; i <= b_len; i++)
		rows[0][i] = i;
	for (size_t i = 1; i <= a_len; i++) {
		rows[i][0] = i;
		fill_row(rows[i], rows[i - 1], i > 1 ? rows[i - 2] : NULL, &a[i - 1], b, b_len);
	}
	return rows[a_len][b_len];
}

struct similar similar_to(const char *typed, size_t len)
{
	return (struct similar){.typed = typed, .len = len};
}

void similar_try(struct similar *similar, const char *word)
{
	size_t len = strlen(word), limit = similar->len < 6 ? 1 : similar->len / 3;
	if (similar->len < 2 || similar->len > SIMILAR_LONGEST || len > SIMILAR_LONGEST)
		return;
	bool is_beginning = len > similar->len && strncmp(word, similar->typed, similar->len) == 0;
	size_t found = is_beginning ? 1 : distance(similar->typed, similar->len, word, len);
	if (found > limit || (similar->best[0] != '\0' && found >= similar->distance))
		return;
	memcpy(similar->best, word, len + 1);
	similar->distance = found;
}
