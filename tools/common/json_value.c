/* SPDX-License-Identifier: MIT */
#include "json_value.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
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

/* ---- writing ---- */

struct escaper {
	json_dump_callback_t write;
	void *arg;
};

static int write_escape(const struct escaper *escaper, uint32_t point)
{
	char escape[8];
	int len = snprintf(escape, sizeof escape, "\\u%04" PRIX32, point & 0xffffu);
	return escaper->write(escape, (size_t)len, escaper->arg);
}

/* jansson passes whole characters. Outside of strings newlines are the only ones that act on a terminal. */
static int write_escaped(const char *bytes, size_t len, void *arg)
{
	const struct escaper *escaper = arg;
	size_t from = 0, step;
	for (size_t at = 0; at < len; at += step) {
		uint32_t point = (unsigned char)bytes[at];
		step = point >= 0x80 ? utf8_read(bytes + at, &point) : 1;
		if (point == '\n' || !utf8_acts(point))
			continue;
		if (escaper->write(bytes + from, at - from, escaper->arg) != 0 || write_escape(escaper, point) != 0)
			return -1;
		from = at + step;
	}
	return escaper->write(bytes + from, len - from, escaper->arg);
}

int json_value_dump(const json_t *value, json_dump_callback_t write, void *arg, size_t flags)
{
	struct escaper escaper = {write, arg};
	return json_dump_callback(value, write_escaped, &escaper, flags);
}

static int write_file(const char *bytes, size_t len, void *file)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

char *json_value_text(const json_t *value, size_t flags)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (out == NULL || value == NULL || json_value_dump(value, write_file, out, flags) != 0 || fclose(out) != 0)
		memory_end();
	return text;
}

void json_value_write(FILE *out, json_t *value, size_t flags)
{
	if (value == NULL || json_value_dump(value, write_file, out, JSON_ENCODE_ANY | flags) != 0)
		fputs("null", out);
	json_decref(value);
}
