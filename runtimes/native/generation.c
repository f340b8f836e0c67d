/* SPDX-License-Identifier: MIT
 * Makes the environment of the next process image. */
#include "generation.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

#define VARIABLE "STMLOG_GENERATION="

static size_t decimal(char *text, uint64_t number)
{
	size_t len = 1;
	for (uint64_t rest = number; rest >= 10; rest /= 10)
		len++;
	text[len] = '\0';
	for (size_t at = len; at-- != 0; number /= 10)
		text[at] = (char)('0' + number % 10);
	return len;
}

char **native_next_generation(char *const *from)
{
	size_t len = 0;
	uint64_t generation = 0;
	for (; from != NULL && from[len] != NULL; len++)
		if (strncmp(from[len], VARIABLE, sizeof VARIABLE - 1) == 0)
			generation = strtoull(from[len] + sizeof VARIABLE - 1, NULL, 10);
	size_t pointers = (len + 2) * sizeof *from;
	char *memory = native_pages(pointers + sizeof VARIABLE + 24);
	if (memory == NULL)
		return (char **)(uintptr_t)from;
	char **to = (char **)(void *)memory, *text = memory + pointers;
	memcpy(text, VARIABLE, sizeof VARIABLE);
	decimal(text + sizeof VARIABLE - 1, generation + 1);
	size_t kept = 0;
	for (size_t i = 0; i < len; i++)
		if (strncmp(from[i], VARIABLE, sizeof VARIABLE - 1) != 0)
			to[kept++] = from[i];
	to[kept] = text;
	return to;
}
