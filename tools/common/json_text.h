/* SPDX-License-Identifier: MIT
 * The text of a JSON value, the same as jansson writes without flags. Jansson hands out each quote, comma and number by
 * itself, and looks for values that contain themselves: with it a report of many entries took five times as long. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>

/* Calls `write` with the text, piece by piece. Real numbers have `digits` digits. NULL is "null". The value must not
 * contain itself. */
void json_text_write(
	const json_t *value, int digits, void (*write)(void *arg, const char *bytes, size_t len), void *arg);

/* A value whose text is `text`, as it is. Only json_text_write() understands it: to jansson it is a string. */
json_t *json_text_raw(const char *text, size_t len);

#endif
