/* SPDX-License-Identifier: MIT
 * Reads stdin and fails, saying where, unless it is neutral text (tests/support/neutral.h); with the argument --json,
 * unless it is JSON as well.
 * usage: neutral [--json] */
#include "neutral.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static size_t read_all(char **text)
{
	size_t len = 0, got;
	*text = NULL;
	do {
		*text = realloc(*text, len + 65536);
		if (*text == NULL)
			exit(2);
		got = fread(*text + len, 1, 65536, stdin);
		len += got;
	} while (got > 0);
	return len;
}

static int check_json(const char *text, size_t len)
{
	json_error_t error;
	json_t *value = json_loadb(text, len, JSON_DECODE_INT_AS_REAL, &error);
	if (value == NULL)
		printf("no JSON at line %d: %s\n", error.line, error.text);
	json_decref(value);
	return value == NULL;
}

int main(int argc, char **argv)
{
	char *text;
	size_t at, len = read_all(&text);
	bool is_json = argc > 1 && strcmp(argv[1], "--json") == 0;
	int status = len == 0;
	if (len == 0) {
		puts("nothing to read");
	} else if (!text_is_neutral(text, len, &at)) {
		size_t line = 1;
		for (size_t i = 0; i < at; i++)
			line += text[i] == '\n';
		printf("line %zu, byte %zu is not neutral: 0x%02x\n", line, at, (unsigned char)text[at]);
		status = 1;
	} else if (is_json) {
		status = check_json(text, len);
	}
	free(text);
	return status;
}
