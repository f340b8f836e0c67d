/* SPDX-License-Identifier: MIT
 * JSON values as the files that make a report of them need them. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <stdint.h>
#include <stdlib.h>

#include <jansson.h>

#include "utf8.h"

/* JSON integers of this library end at 2^63 - 1. */
static inline json_t *integer(uint64_t value)
{
	return json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX);
}

/* NULL becomes null; bytes that are no UTF-8 become U+FFFD. */
static inline json_t *string(const char *text)
{
	if (text == NULL)
		return json_null();
	char *clean = utf8_clean(text, UTF8_KEEP_CONTROLS);
	json_t *value = json_string(clean);
	free(clean);
	return value;
}

#endif
