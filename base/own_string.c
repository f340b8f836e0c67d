/* SPDX-License-Identifier: MIT
 * The functions of <string.h> that hooks call, for each library of ours alone: they are hidden from the program.
 *
 * ThreadSanitizer and AddressSanitizer replace those of libc, and check each access that a function makes. They do not
 * see how a library synchronises its threads that was built without them. So they would report two hooks that read and
 * write the same memory in turns as a race, and the program would end with another status. */
#include <stdint.h>
#include <string.h>

/* Bytes of any type, at any address. */
struct word {
	uint64_t bits;
} __attribute__((packed, may_alias));
enum { WORD = sizeof(struct word) };

/* From the first byte to the last. */
static void move_down(char *to, const char *from, size_t size)
{
	for (; size >= WORD; size -= WORD, from += WORD, to += WORD)
		*(struct word *)to = *(const struct word *)from;
	while (size-- > 0)
		*to++ = *from++;
}

/* From the last byte to the first. */
static void move_up(char *to, const char *from, size_t size)
{
	for (; size >= WORD; size -= WORD)
		*(struct word *)(to + size - WORD) = *(const struct word *)(from + size - WORD);
	while (size-- > 0)
		to[size] = from[size];
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	move_down(to, from, size);
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	if ((uintptr_t)to - (uintptr_t)from < size)
		move_up(to, from, size);
	else
		move_down(to, from, size);
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	char *out = to;
	struct word word = {(unsigned char)byte * UINT64_C(0x0101010101010101)};
	for (; size >= WORD; size -= WORD, out += WORD)
		*(struct word *)out = word;
	while (size-- > 0)
		*out++ = (char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *left = a, *right = b;
	for (; size >= WORD; size -= WORD, left += WORD, right += WORD)
		if (((const struct word *)left)->bits != ((const struct word *)right)->bits)
			break;
	for (; size > 0; size--, left++, right++)
		if (*left != *right)
			return *left - *right;
	return 0;
}

size_t strnlen(const char *text, size_t max)
{
	size_t len = 0;
	while (len < max && text[len] != '\0')
		len++;
	return len;
}

size_t strlen(const char *text)
{
	return strnlen(text, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t max)
{
	for (; max > 0; max--, a++, b++)
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int letter)
{
	for (; *text != (char)letter; text++)
		if (*text == '\0')
			return NULL;
	return (char *)(uintptr_t)text;
}

char *strrchr(const char *text, int letter)
{
	const char *found = NULL;
	for (; *text != '\0'; text++)
		found = *text == (char)letter ? text : found;
	return (char *)(uintptr_t)(*text == (char)letter ? text : found);
}
