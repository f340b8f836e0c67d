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

struct option {
	const char *key; /* points into the memory of the options, as does `value`; NUL-terminated */
	const char *value;
	bool is_asked; /* options_get() was called with this key: the library or a runtime knows it */
};

struct options {
	struct option *option; /* owned; the text follows the options in the same memory */
	size_t len;
	size_t size;     /* of the memory */
	bool is_ignored; /* there was no memory for the options, and options_warn_unknown() has not yet said so */
};

/* Parses the value of the environment variable, of any length; NULL: it is not set. Warns on stderr if it separates
 * options by something else than a colon. */
void options_parse(struct options *options, const char *value);

/* Frees the memory, and leaves no options. A zeroed struct has no options. */
void options_forget(struct options *options);

/* Returns the value of a key, or NULL. From now on the key counts as known. */
const char *options_get(struct options *options, const char *key);

/* Returns the value of a key as a number from `low` to `high`; `otherwise` if the key is not given and, with a warning,
 * if its value is no such number. */
uint64_t options_number(struct options *options, const char *key, uint64_t low, uint64_t high, uint64_t otherwise);

/* Returns N of sample=N; 0 for auto, without the option, and for a word of the runtime's own. A timeline without it has
 * each transaction: 1. */
uint32_t options_sample(struct options *options);

/* Warns on stderr that a value is not `expected`, and that the default is used. */
void options_warn_value(const char *key, const char *value, const char *expected);

/* Warns on stderr of each key that is not known yet, and of options that are ignored, once. */
void options_warn_unknown(struct options *options);

#endif
