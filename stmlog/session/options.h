/* SPDX-License-Identifier: MIT
 *
 * The options of the environment variable STMLOG_OPTIONS, "key=value:key=value",
 * parsed once. A backslash makes the next character an ordinary one. If a key is
 * given twice, the last value counts. (life.c ignores the variable in setuid and
 * setgid processes.)
 */
#ifndef STMLOG_OPTIONS_H
#define STMLOG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_TEXT_MOST 4095
#define OPTIONS_TEXT (OPTIONS_TEXT_MOST + 1)
#define OPTIONS_MOST 32

struct option {
	const char *key; /* points into `text`, as does `value`; NUL-terminated */
	const char *value;
	bool is_asked; /* options_get() was called with this key: it is a known one */
};

struct options {
	char text[OPTIONS_TEXT];
	struct option option[OPTIONS_MOST];
	size_t len;
	/* There was no room: of too many options, those after the first OPTIONS_MOST are ignored; a text that is too
	 * long is ignored as a whole. A constant that says so, until options_warn_unknown() has; otherwise NULL. */
	const char *ignored;
};

/* `value`: of the environment variable; NULL: it is not set. */
void options_parse(struct options *options, const char *value);

/* The value of a key, or NULL. From now on the key is a known one. */
const char *options_get(struct options *options, const char *key);

/* The value of a key as a number from `low` to `high`; `otherwise` if the key is not given and, with a warning, if
 * its value is no such number. */
uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise);

/* Warns on stderr that a value is not `expected`, and that the default is used. */
void options_warn_value(const char *key, const char *value, const char *expected);

/* Warns on stderr of each key that is not known yet, and of options that are ignored, once. */
void options_warn_unknown(struct options *options);

#endif
