/* SPDX-License-Identifier: MIT */
#include "z_encoding.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "memory.h"

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

static void put(struct decoding *d, char byte)
{
	d->to = memory_grown(d->to, d->len, &d->cap, 1);
	d->to[d->len++] = byte;
}

static void put_text(struct decoding *d, const char *text)
{
	for (; *text != '\0'; text++)
		put(d, *text);
}

/* False: there is no such character, or it ends texts. */
static bool put_character(struct decoding *d, uint32_t code)
{
	if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return false;
	if (code < 0x80) {
		put(d, (char)code);
		return true;
	}
	int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
	put(d, (char)(first[more] | code >> 6 * more));
	while (more-- > 0)
		put(d, (char)(0x80 | (code >> 6 * more & 0x3f)));
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
static bool take_code(struct decoding *d)
{
	uint32_t code;
	size_t len = read_number(d, 16, 0x10ffff, &code);
	if (len == 0 || d->at + len == d->end || d->at[len] != 'U')
		return false;
	d->at += len + 1;
	return put_character(d, code);
}

/* "Z2T", a tuple, and "Z2H", an unboxed one, behind their first letter. GHC has tuples of at most 64. */
static bool take_tuple(struct decoding *d)
{
	uint32_t size;
	size_t len = read_number(d, 10, 64, &size);
	if (len == 0 || d->at + len == d->end || (d->at[len] != 'T' && d->at[len] != 'H'))
		return false;
	bool is_unboxed = d->at[len] == 'H';
	d->at += len + 1;
	put_text(d, is_unboxed ? "(#" : "(");
	for (uint32_t i = 1; i < size; i++)
		put(d, ',');
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
		put(d, first);
		return true;
	}
	if (d->at == d->end)
		return false;
	if (is_digit(*d->at))
		return first == 'z' ? take_code(d) : take_tuple(d);
	char character = of_pair(first, *d->at++);
	if (character != '\0')
		put(d, character);
	return character != '\0';
}

char *z_decoded(const char *text, size_t len)
{
	struct decoding d = {.at = text, .end = text + len};
	bool is_encoded = true;
	while (d.at < d.end && is_encoded)
		is_encoded = step(&d);
	put(&d, '\0');
	if (is_encoded)
		return d.to;
	free(d.to);
	return NULL;
}
