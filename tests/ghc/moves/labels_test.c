/* SPDX-License-Identifier: MIT
 * Labels of TVars, by their addresses. */
#include "labels.h"

#include <string.h>

#include "test.h"

static void kill_one(void *dead, uintptr_t *tvar)
{
	if (*tvar == *(const uintptr_t *)dead)
		*tvar = 0;
}

static void kill_all(void *unused, uintptr_t *tvar)
{
	(void)unused;
	*tvar = 0;
}

static void assert_label(uintptr_t tvar, const char *expected)
{
	char label[LABEL_BYTES];
	assert_int_equal(labels_find(tvar, label), expected[0] != '\0');
	assert_string_equal(label, expected);
}

TEST(a_tvar_has_its_last_label)
{
	assert_label(8, "");
	labels_set(8, "old");
	labels_set(16, "other");
	labels_set(8, "new");
	assert_label(8, "new");
	assert_label(16, "other");
	labels_visit(kill_all, NULL);
	assert_label(8, "");
}

TEST(a_long_label_is_cut)
{
	char text[LABEL_BYTES + 2] = "";
	memset(text, 'x', LABEL_BYTES);
	labels_set(8, text);
	text[LABEL_BYTES - 1] = '\0';
	assert_label(8, text);
	labels_visit(kill_all, NULL);
}

TEST(so_many_labels_are_kept_until_a_tvar_dies)
{
	uintptr_t dead = 8;
	for (uintptr_t i = 1; i <= LABELS_MAX + 1; i++)
		labels_set(8 * i, "label");
	assert_label(8 * LABELS_MAX, "label");
	assert_label(8 * (LABELS_MAX + 1), "");
	labels_visit(kill_one, &dead);
	labels_set(8 * (LABELS_MAX + 1), "late");
	assert_label(8 * (LABELS_MAX + 1), "late");
	assert_label(8, "");
	labels_visit(kill_all, NULL);
}
