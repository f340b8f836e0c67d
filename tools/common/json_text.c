/* SPDX-License-Identifier: MIT */
#include "json_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

enum { ROOM = 1 << 14, DIGITS = 20 };

/* A string that begins with this byte is a text as it is. No other string does: json_string() takes UTF-8 alone. */
#define RAW '\xff'

/* Invariant: len <= ROOM; the text goes on behind what was written, with bytes[0 .. len). */
struct text {
	void (*write)(void *arg, const char *bytes, size_t len);
	void *arg;
	int digits;
	size_t len;
	char bytes[ROOM];
};

static void flush(struct text *text)
{
	if (text->len > 0)
		text->write(text->arg, text->bytes, text->len);
	text->len = 0;
}

static void put_long(struct text *text, const char *bytes, size_t len)
{
	flush(text);
	text->write(text->arg, bytes, len);
}

static inline void put(struct text *text, const char *bytes, size_t len)
{
	if (len > ROOM) {
		put_long(text, bytes, len);
		return;
	}
	if (len > ROOM - text->len)
		flush(text);
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
}

static void put_text(struct text *text, const char *bytes)
{
	put(text, bytes, strlen(bytes));
}

static void put_integer(struct text *text, json_int_t value)
{
	char digits[DIGITS + 1], *at = digits + sizeof digits;
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		*--at = (char)('0' + left % 10);
	while ((left /= 10) != 0);
	if (value < 0)
		*--at = '-';
	put(text, at, (size_t)(digits + sizeof digits - at));
}

/* Jansson knows how a number looks in any locale. */
static void put_real(struct text *text, const json_t *value)
{
	char digits[128];
	size_t len =
		json_dumpb(value, digits, sizeof digits, JSON_ENCODE_ANY | JSON_REAL_PRECISION((unsigned)text->digits));
	put(text, digits, len <= sizeof digits ? len : 0);
}

/* A character that a string cannot have as it is. */
static void put_escape(struct text *text, unsigned char character)
{
	static const char letters[128] = {
		['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	char escape[8];
	if (letters[character] != '\0')
		snprintf(escape, sizeof escape, "\\%c", letters[character]);
	else
		snprintf(escape, sizeof escape, "\\u%04X", (unsigned)character);
	put_text(text, escape);
}

static void put_string(struct text *text, const char *string, size_t len)
{
	size_t from = 0;
	put(text, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char character = (unsigned char)string[i];
		if (character >= ' ' && character != '"' && character != '\\')
			continue;
		put(text, string + from, i - from);
		put_escape(text, character);
		from = i + 1;
	}
	put(text, string + from, len - from);
	put(text, "\"", 1);
}

static void put_string_value(struct text *text, const json_t *value)
{
	const char *string = json_string_value(value);
	size_t len = json_string_length(value);
	if (len > 0 && string[0] == RAW)
		put(text, string + 1, len - 1);
	else
		put_string(text, string, len);
}

static void put_value(struct text *text, const json_t *value);

static void put_array(struct text *text, const json_t *array)
{
	put(text, "[", 1);
	for (size_t i = 0; i < json_array_size(array); i++) {
		put(text, ", ", i > 0 ? 2 : 0);
		put_value(text, json_array_get(array, i));
	}
	put(text, "]", 1);
}

/* Jansson's iterators change nothing, but know no const. */
static void put_object(struct text *text, const json_t *object)
{
	json_t *of = (json_t *)(uintptr_t)object;
	void *first = json_object_iter(of);
	put(text, "{", 1);
	for (void *at = first; at != NULL; at = json_object_iter_next(of, at)) {
		const char *key = json_object_iter_key(at);
		put(text, ", ", at != first ? 2 : 0);
		put_string(text, key, strlen(key));
		put(text, ": ", 2);
		put_value(text, json_object_iter_value(at));
	}
	put(text, "}", 1);
}

static void put_value(struct text *text, const json_t *value)
{
	switch (value != NULL ? json_typeof(value) : JSON_NULL) {
	case JSON_OBJECT:
		put_object(text, value);
		break;
	case JSON_ARRAY:
		put_array(text, value);
		break;
	case JSON_STRING:
		put_string_value(text, value);
		break;
	case JSON_INTEGER:
		put_integer(text, json_integer_value(value));
		break;
	case JSON_REAL:
		put_real(text, value);
		break;
	default:
		put_text(text, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
	}
}

void json_text_write(
	const json_t *value, int digits, void (*write)(void *arg, const char *bytes, size_t len), void *arg)
{
	struct text text;
	text.write = write;
	text.arg = arg;
	text.digits = digits;
	text.len = 0;
	put_value(&text, value);
	flush(&text);
}

json_t *json_text_raw(const char *text, size_t len)
{
	char *marked = memory_zeroed(len + 2, 1);
	marked[0] = RAW;
	memcpy(marked + 1, text, len);
	json_t *value = json_stringn_nocheck(marked, len + 1);
	memory_free(marked);
	return value;
}
