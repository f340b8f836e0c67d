/* SPDX-License-Identifier: MIT */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static char *read_all(const char *path)
{
	FILE *in = fopen(path, "rb");
	if (in == NULL)
		fail_msg("%s is not there; tests run in the top directory", path);
	char *text = calloc(1, 1 << 16);
	assert_non_null(text);
	size_t len = fread(text, 1, (1 << 16) - 1, in);
	text[len] = '\0';
	fclose(in);
	return text;
}

void golden_check(const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "tests/golden/%s", name);
	const char *update = getenv("GOLDEN_UPDATE");
	if (update != NULL && strcmp(update, "1") == 0) {
		FILE *out = fopen(path, "wb");
		assert_non_null(out);
		fputs(text, out);
		fclose(out);
		return;
	}
	char *expected = read_all(path);
	assert_string_equal(text, expected);
	free(expected);
}
