/* SPDX-License-Identifier: MIT
 * Parses the options in place, and warns of bad ones. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "out.h"

/* Ends one key or value at the first unescaped character of `ends`, and resolves its backslashes in place. Sets *found
 * to that character, NUL at the end of the text. Returns the rest of the text. */
static char *cut(char *from, const char *ends, char *found)
{
	char *to = from;
	while (*from != '\0' && strchr(ends, *from) == NULL) {
		if (*from == '\\' && from[1] != '\0')
			from++;
		*to++ = *from++;
	}
	*found = *from;
	if (*from != '\0')
		from++;
	*to = '\0';
	return from;
}

/* Returns an upper bound of the number of options in the text: each but the last ends with a colon. */
static size_t count_max(const char *text)
{
	size_t count = 1;
	for (; *text != '\0'; text++)
		count += *text == ':';
	return count;
}

static bool begins_option(const char *text)
{
	size_t key_len = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	return key_len > 0 && text[key_len] == '=';
}

/* The first comma, semicolon or blank behind which another option seems to begin, as in "top=1,out=a"; NULL: none. */
static const char *find_wrong_separator(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (strchr(",; ", *text) != NULL && begins_option(text + 1))
			return text;
	}
	return NULL;
}

static void warn_wrong_separator(const char *text)
{
	const char *wrong = find_wrong_separator(text);
	if (wrong != NULL)
		standard_error_tell("STMLOG_OPTIONS: \"", wrong, "\" is part of the value before it; ",
			"put a colon between two options", NULL);
}

void options_parse(struct options *options, const char *value)
{
	*options = (struct options){.len = 0};
	if (value == NULL)
		return;
	warn_wrong_separator(value);
	size_t max = count_max(value), len = strlen(value);
	options->size = max * sizeof *options->option + len + 1;
	options->option = mem_alloc(options->size);
	if (options->option == NULL) {
		options->is_ignored = true;
		return;
	}
	char *at = (char *)&options->option[max], found;
	memcpy(at, value, len);
	while (*at != '\0') {
		struct option option = {.key = at, .value = ""};
		at = cut(at, "=:", &found);
		if (found == '=') {
			option.value = at;
			at = cut(at, ":", &found);
		}
		if (option.key[0] != '\0')
			options->option[options->len++] = option;
	}
}

void options_forget(struct options *options)
{
	mem_free(options->option, options->size);
	*options = (struct options){.len = 0};
}

const char *options_get(struct options *options, const char *key)
{
	const char *value = NULL;
	for (size_t i = 0; i < options->len; i++) {
		if (strcmp(options->option[i].key, key) == 0) {
			options->option[i].is_asked = true;
			value = options->option[i].value;
		}
	}
	return value;
}

uint32_t options_sample(struct options *options)
{
	enum { MAX = 4096 };
	const char *sample = options_get(options, "sample");
	unsigned long number = sample != NULL ? strtoul(sample, NULL, 10) : 0;
	if (sample == NULL && options_get(options, "timeline") != NULL)
		return 1;
	return (uint32_t)(number < MAX ? number : MAX);
}

void options_warn_value(const char *key, const char *value, const char *expected)
{
	standard_error_tell("STMLOG_OPTIONS: ", key, "=", value, " is not ", expected, "; using the default", NULL);
}

static void warn_number(const char *key, const char *value, uint64_t low, uint64_t high)
{
	char min[DECIMAL_SIZE], max[DECIMAL_SIZE];
	standard_error_tell("STMLOG_OPTIONS: ", key, "=", value, " is not a number from ", decimal_text(min, low),
		" to ", decimal_text(max, high), "; using the default", NULL);
}

uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise)
{
	const char *value = options_get(options, key);
	if (value == NULL)
		return otherwise;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < low || number > high) {
		warn_number(key, value, low, high);
		return otherwise;
	}
	return number;
}

void options_warn_unknown(struct options *options)
{
	if (options->is_ignored)
		standard_error_tell("no memory for STMLOG_OPTIONS; all of it is ignored", NULL);
	options->is_ignored = false;
	for (size_t i = 0; i < options->len; i++) {
		if (!options->option[i].is_asked)
			standard_error_tell("STMLOG_OPTIONS: unknown key ", options->option[i].key, "; ignored", NULL);
		options->option[i].is_asked = true;
	}
}
