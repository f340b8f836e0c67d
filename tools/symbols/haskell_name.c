/* SPDX-License-Identifier: MIT
 * An underscore in a name is encoded, so that those in a symbol are all between its parts. */
#include "haskell_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "short_name.h"
#include "z_encoding.h"

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
	return is_small(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

struct part {
	const char *text;
	size_t len;
};

enum { MAX_PARTS = 4 };

/* The length without the suffix; 0: there is none. */
static size_t without_suffix(const char *symbol)
{
	static const char *const suffixes[] = {
		"_con_info", "_con_entry", "_info", "_entry", "_closure", "_str", "_slow", "_fast", "_ret"};
	size_t len = strlen(symbol);
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		size_t suffix = strlen(suffixes[i]);
		if (len > suffix && strcmp(symbol + len - suffix, suffixes[i]) == 0)
			return len - suffix;
	}
	return 0;
}

/* Returns how many; 0: one of them is empty, or they are too many. */
static size_t split(const char *symbol, size_t len, struct part parts[MAX_PARTS])
{
	size_t count = 0;
	const char *end = symbol + len;
	for (const char *at = symbol, *next; at <= end; at = next + 1) {
		next = memchr(at, '_', (size_t)(end - at));
		next = next != NULL ? next : end;
		if (count == MAX_PARTS || next == at)
			return 0;
		parts[count++] = (struct part){at, (size_t)(next - at)};
	}
	return count;
}

/* Numbers of the compiler's are a letter for the part of it that gave them, and digits to the base 62. A word of small
 * letters alone can be one, but more likely is a word. */
static bool is_number(struct part part)
{
	bool has_digit = false, is_number = part.len >= 3 && is_small(part.text[0]);
	for (size_t i = 1; i < part.len && is_number; i++) {
		is_number = is_letter(part.text[i]);
		has_digit |= !is_small(part.text[i]);
	}
	return is_number && has_digit;
}

/* "Module." NULL: the part is no module. */
static char *module_of(struct part part)
{
	char *name = z_decoded(part.text, part.len);
	char *dotted = name != NULL ? memory_format("%s.", name) : NULL;
	char *function = name != NULL ? memory_format("%s.f", name) : NULL;
	bool is_module = function != NULL && short_name_module(function) == strlen(dotted);
	free(name);
	free(function);
	if (is_module)
		return dotted;
	free(dotted);
	return NULL;
}

/* "package:" NULL: the part is no package. GHC's own run time has names as if it were one. */
static char *package_of(struct part part)
{
	bool is_run_time = part.len == 3 && memcmp(part.text, "stg", part.len) == 0;
	char *name = is_run_time ? NULL : z_decoded(part.text, part.len);
	char *package = name != NULL ? memory_format("%s:", name) : NULL;
	free(name);
	return package;
}

/* Of a function's worker, the function. */
static char *function_of(struct part part)
{
	char *name = z_decoded(part.text, part.len);
	if (name != NULL && strncmp(name, "$w", 2) == 0 && name[2] != '\0')
		memmove(name, name + 2, strlen(name + 2) + 1);
	return name;
}

/* "go_s1Xy": of several functions of a name, the number tells which. */
static char *local_of(struct part part, struct part number)
{
	char *function = function_of(part), *name = NULL;
	if (function != NULL && is_number(number))
		name = memory_format("%s_%.*s", function, (int)number.len, number.text);
	free(function);
	return name;
}

/* The texts one behind the other; NULL: one of them is. Takes them over. */
static char *joined(char *package, char *module, char *function)
{
	char *name = NULL;
	if (package != NULL && module != NULL && function != NULL)
		name = memory_format("%s%s%s", package, module, function);
	free(package);
	free(module);
	free(function);
	return name;
}

static char *none(void)
{
	return memory_text("");
}

/* NULL: the parts are not those of a name. */
static char *name_of(const struct part *parts, size_t count)
{
	char *name = NULL;
	switch (count) {
	case 2:
		name = joined(none(), module_of(parts[0]), function_of(parts[1]));
		return name != NULL ? name : joined(none(), none(), local_of(parts[0], parts[1]));
	case 3:
		name = joined(package_of(parts[0]), module_of(parts[1]), function_of(parts[2]));
		return name != NULL ? name : joined(none(), module_of(parts[0]), local_of(parts[1], parts[2]));
	case 4:
		return joined(package_of(parts[0]), module_of(parts[1]), local_of(parts[2], parts[3]));
	default:
		return NULL;
	}
}

enum haskell_label haskell_name(const char *symbol, char **name)
{
	struct part parts[MAX_PARTS];
	/* Symbols of functions that are local to a module begin with one. */
	symbol += symbol[0] == '_';
	size_t len = without_suffix(symbol), count = len > 0 ? split(symbol, len, parts) : 0;
	*name = name_of(parts, count);
	if (*name != NULL)
		return HASKELL_NAMED;
	return count == 1 && is_number(parts[0]) ? HASKELL_UNNAMED : HASKELL_OTHER;
}
