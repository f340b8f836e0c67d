/* SPDX-License-Identifier: MIT
 * Values of jansson, and their text, which is written in larger pieces than jansson does. */
#include "json_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "utf8.h"

/* The first byte of a string that is JSON already. No other string has it, since it is no UTF-8. */
#define RAW '\xff'

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

/* ---- writing: the text is that of jansson, which would write it a few bytes at a time ---- */

struct dump {
	json_dump_callback_t write;
	void *arg;
	size_t flags;
	int status; /* not 0: writing has failed */
	size_t len; /* bytes that are not written yet */
	char bytes[4096];
};

static void flush(struct dump *dump)
{
	if (dump->len > 0 && dump->status == 0)
		dump->status = dump->write(dump->bytes, dump->len, dump->arg);
	dump->len = 0;
}

static void dump_put(struct dump *dump, const char *bytes, size_t len)
{
	if (len > sizeof dump->bytes - dump->len)
		flush(dump);
	if (len <= sizeof dump->bytes) {
		memcpy(dump->bytes + dump->len, bytes, len);
		dump->len += len;
	} else if (dump->status == 0) {
		dump->status = dump->write(bytes, len, dump->arg);
	}
}

static void put_text(struct dump *dump, const char *text)
{
	dump_put(dump, text, strlen(text));
}

static void put_escape(struct dump *dump, uint32_t point)
{
	static const char points[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\";
	const char *found = point < 0x80 ? memchr(points, (int)point, sizeof points - 1) : NULL;
	char escape[8];
	snprintf(escape, sizeof escape, found != NULL ? "\\%c" : "\\u%04" PRIX32,
		found != NULL ? (uint32_t)letters[found - points] : point & 0xffffu);
	put_text(dump, escape);
}

/* `text` is valid UTF-8. */
static void put_string(struct dump *dump, const char *text)
{
	const char *from = text;
	dump_put(dump, "\"", 1);
	for (size_t step; *text != '\0'; text += step) {
		uint32_t point = (unsigned char)*text;
		step = point >= 0x80 ? utf8_read(text, &point) : 1;
		if (point != '"' && point != '\\' && ((point >= ' ' && point < 0x7f) || !utf8_acts(point)))
			continue;
		dump_put(dump, from, (size_t)(text - from));
		put_escape(dump, point);
		from = text + step;
	}
	dump_put(dump, from, (size_t)(text - from));
	dump_put(dump, "\"", 1);
}

static void put_number(struct dump *dump, const json_t *value)
{
	char digits[64];
	dump_put(dump, digits, json_dumpb(value, digits, sizeof digits, JSON_ENCODE_ANY | dump->flags));
}

static void put_integer(struct dump *dump, const json_t *value)
{
	json_int_t number = json_integer_value(value);
	char digits[20], *at = digits + sizeof digits;
	if (number < 0) {
		put_number(dump, value);
		return;
	}
	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	dump_put(dump, at, (size_t)(digits + sizeof digits - at));
}

/* Between two elements at a depth, or before the first or behind the last one. */
static void put_space(struct dump *dump, const char *separator, int depth)
{
	int indent = (int)(dump->flags & JSON_MAX_INDENT);
	put_text(dump, separator);
	if (indent == 0 && separator[0] == ',' && (dump->flags & JSON_COMPACT) == 0)
		dump_put(dump, " ", 1);
	if (indent == 0)
		return;
	dump_put(dump, "\n", 1);
	for (int i = 0; i < indent * depth; i++)
		dump_put(dump, " ", 1);
}

static void put_value(struct dump *dump, const json_t *value, int depth);

static void put_array(struct dump *dump, const json_t *array, int depth)
{
	dump_put(dump, "[", 1);
	for (size_t i = 0; i < json_array_size(array); i++) {
		put_space(dump, i > 0 ? "," : "", depth + 1);
		put_value(dump, json_array_get(array, i), depth + 1);
	}
	if (json_array_size(array) > 0)
		put_space(dump, "", depth);
	dump_put(dump, "]", 1);
}

static void put_object(struct dump *dump, json_t *object, int depth)
{
	const char *separator = "";
	dump_put(dump, "{", 1);
	for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
		put_space(dump, separator, depth + 1);
		put_string(dump, json_object_iter_key(at));
		put_text(dump, dump->flags & JSON_COMPACT ? ":" : ": ");
		put_value(dump, json_object_iter_value(at), depth + 1);
		separator = ",";
	}
	if (separator[0] != '\0')
		put_space(dump, "", depth);
	dump_put(dump, "}", 1);
}

static void put_value(struct dump *dump, const json_t *value, int depth)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(dump, (json_t *)(uintptr_t)value, depth);
		return;
	case JSON_ARRAY:
		put_array(dump, value, depth);
		return;
	case JSON_STRING:
		if (json_string_value(value)[0] == RAW)
			dump_put(dump, json_string_value(value) + 1, json_string_length(value) - 1);
		else
			put_string(dump, json_string_value(value));
		return;
	case JSON_INTEGER:
		put_integer(dump, value);
		return;
	case JSON_REAL:
		put_number(dump, value);
		return;
	default:
		put_text(dump, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
	}
}

int json_value_dump(const json_t *value, json_dump_callback_t write, void *arg, size_t flags)
{
	REQUIRES(value != NULL);
	struct dump dump = {.write = write, .arg = arg, .flags = flags};
	put_value(&dump, value, 0);
	flush(&dump);
	return dump.status;
}

static int write_file(const char *bytes, size_t len, void *file)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

json_t *json_value_raw(json_t *value)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	REQUIRES(value != NULL);
	if (out == NULL || putc(RAW, out) == EOF || json_value_dump(value, write_file, out, 0) != 0 || fclose(out) != 0)
		memory_end();
	json_t *raw = json_string_nocheck(text);
	free(text);
	json_decref(value);
	return raw;
}

void json_value_write(FILE *out, json_t *value, size_t flags)
{
	if (value == NULL || json_value_dump(value, write_file, out, JSON_ENCODE_ANY | flags) != 0)
		fputs("null", out);
	json_decref(value);
}
