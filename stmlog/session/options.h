/* SPDX-License-Identifier: MIT
 *
 * STMLOG_OPTIONS=key=value:key=value, parsed once. A backslash makes the next
 * character an ordinary one. Of a key given twice the last value counts. The
 * variable is ignored when the process is setuid or setgid.
 */
#ifndef STMLOG_OPTIONS_H
#define STMLOG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_TEXT 4096
#define OPTIONS_MOST 32

struct option {
	const char *key; /* into `text`, both NUL-terminated */
	const char *value;
	bool is_asked; /* somebody knows this key */
};

struct options {
	char text[OPTIONS_TEXT];
	struct option option[OPTIONS_MOST];
	size_t len;
	bool is_cut; /* more or longer than fit: the rest is ignored */
};

/* `value`: the variable's, or NULL. */
void options_parse(struct options *options, const char *value);

/* The value of a key, or NULL; the key is a known one from now on. */
const char *options_get(struct options *options, const char *key);

/* As a number in [low, high], or `otherwise` with a warning. */
uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise);

/* One warning per bad value, on stderr: the value, what would do, and what is done instead. */
void options_warn_value(const char *key, const char *value, const char *expected);

/* One warning per key that nobody has asked for; each is told once. */
void options_warn_unknown(struct options *options);

#endif
