/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "short_name.h"

/* ---- C++ ---- */

typedef char *cxa_demangle(const char *name, char *buffer, size_t *len, int *status);

/* NULL: there is no C++ library. The library stays loaded to the end. */
static cxa_demangle *find_demangler(void)
{
	static bool is_tried;
	static cxa_demangle *found;
	if (is_tried)
		return found;
	is_tried = true;
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (library != NULL)
		*(void **)(void *)&found = dlsym(library, "__cxa_demangle");
	return found; /* cppcheck-suppress resourceLeak ; it stays loaded */
}

char *demangle(const char *name)
{
	static const char clone_prefix[] = "_ZGTt", clone_words[] = "transaction clone for ";
	if (strncmp(name, "_Z", 2) != 0)
		return memory_text(name);
	cxa_demangle *demangler = find_demangler();
	int status = -1;
	char *readable = demangler != NULL ? demangler(name, NULL, NULL, &status) : NULL;
	if (readable == NULL || status != 0) {
		/* The clone of a C function is named by the prefix, the length of the name, and the name. */
		if (strncmp(name, clone_prefix, strlen(clone_prefix)) == 0) {
			name += strlen(clone_prefix);
			name += strspn(name, "0123456789");
		}
		return memory_text(name);
	}
	if (strncmp(readable, clone_words, strlen(clone_words)) == 0)
		memmove(readable, readable + strlen(clone_words), strlen(readable + strlen(clone_words)) + 1);
	return readable;
}

/* ---- GHC's encoding ---- */

static bool is_between(char c, char first, char last)
{
	return c >= first && c <= last;
}

static bool is_digit(char c)
{
	return is_between(c, '0', '9');
}

static bool is_small(char c)
{
	return is_between(c, 'a', 'z');
}

static bool is_capital(char c)
{
	return is_between(c, 'A', 'Z');
}

static bool is_letter(char c)
{
	return is_small(c) || is_capital(c) || is_digit(c);
}

/* Invariant: what is left to read is [at, end). */
struct decoding {
	const char *at, *end;
	char *to;
	size_t len, cap;
};

static void demangle_put(struct decoding *d, char byte)
{
	d->to = memory_grown(d->to, d->len, &d->cap, 1);
	d->to[d->len++] = byte;
}

static void put_text(struct decoding *d, const char *text)
{
	for (; *text != '\0'; text++)
		demangle_put(d, *text);
}

/* False: there is no such character, or it ends texts. */
static bool put_character(struct decoding *d, uint32_t code)
{
	if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return false;
	if (code < 0x80) {
		demangle_put(d, (char)code);
		return true;
	}
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
	demangle_put(d, (char)(first[more] | code >> 6 * more));
	while (more-- > 0)
		demangle_put(d, (char)(0x80 | (code >> 6 * more & 0x3f)));
	return true;
}

/* The character that two letters stand for; 0: none. */
static char of_pair(char first, char second)
{
	static const char small[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz", capital[] = "C:L(M[N]R)ZZ";
	for (const char *pair = first == 'z' ? small : capital; *pair != '\0'; pair += 2)
		if (pair[0] == second)
			return pair[1];
	return '\0';
}

/* Digits of a number up to `max`, with 'a' to 'f' if the base is 16. Returns how many; 0: none, or it is larger. */
static size_t read_number(const struct decoding *d, uint32_t base, uint32_t max, uint32_t *number)
{
	size_t len = 0;
	*number = 0;
	for (const char *c = d->at; c < d->end; c++, len++) {
		if (!is_digit(*c) && (base != 16 || !is_between(*c, 'a', 'f')))
			break;
		*number = *number * base + (uint32_t)(is_digit(*c) ? *c - '0' : *c - 'a' + 10);
		if (*number > max)
			return 0;
	}
	return len;
}

/* "z03bbU" behind its first letter. */
static bool decode_code(struct decoding *d)
{
	uint32_t code;
	size_t len = read_number(d, 16, 0x10ffff, &code);
	if (len == 0 || d->at + len == d->end || d->at[len] != 'U')
		return false;
	d->at += len + 1;
	return put_character(d, code);
}

/* "Z2T", a tuple, and "Z2H", an unboxed one, behind their first letter. GHC has tuples of at most 64. */
static bool decode_tuple(struct decoding *d)
{
	uint32_t size;
	size_t len = read_number(d, 10, 64, &size);
	if (len == 0 || d->at + len == d->end || (d->at[len] != 'T' && d->at[len] != 'H'))
		return false;
	bool is_unboxed = d->at[len] == 'H';
	d->at += len + 1;
	put_text(d, is_unboxed ? "(#" : "(");
	for (uint32_t i = 1; i < size; i++)
		demangle_put(d, ',');
	put_text(d, !is_unboxed ? ")" : size <= 1 ? " #)" : "#)");
	return true;
}

static bool step(struct decoding *d)
{
	char first = *d->at;
	if (!is_letter(first))
		return false;
	d->at++;
	if (first != 'z' && first != 'Z') {
		demangle_put(d, first);
		return true;
	}
	if (d->at == d->end)
		return false;
	if (is_digit(*d->at))
		return first == 'z' ? decode_code(d) : decode_tuple(d);
	char character = of_pair(first, *d->at++);
	if (character != '\0')
		demangle_put(d, character);
	return character != '\0';
}

char *z_decoded(const char *text, size_t len)
{
	struct decoding d = {.at = text, .end = text + len};
	bool is_encoded = true;
	while (d.at < d.end && is_encoded)
		is_encoded = step(&d);
	demangle_put(&d, '\0');
	if (is_encoded)
		return d.to;
	free(d.to);
	return NULL;
}

/* ---- GHC's symbols ---- */

/* An underscore in a name is encoded, so that those in a symbol are all between its parts. */

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
static char *parts_name_of(const struct part *parts, size_t count)
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
	*name = parts_name_of(parts, count);
	if (*name != NULL)
		return HASKELL_NAMED;
	return count == 1 && is_number(parts[0]) ? HASKELL_UNNAMED : HASKELL_OTHER;
}
