/* SPDX-License-Identifier: MIT */
#include "json_value.h"

#include <stdlib.h>

#include "utf8.h"

json_t *integer(uint64_t value)
{
	return json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX);
}

json_t *string(const char *text)
{
	if (text == NULL)
		return json_null();
	char *clean = utf8_clean(text, UTF8_KEEP_CONTROLS);
	json_t *value = json_string(clean);
	free(clean);
	return value;
}

void json_value_write(FILE *out, json_t *value, size_t flags)
{
	if (value == NULL || json_dumpf(value, out, JSON_ENCODE_ANY | flags) != 0)
		fputs("null", out);
	json_decref(value);
}
