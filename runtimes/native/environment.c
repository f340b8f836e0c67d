/* SPDX-License-Identifier: MIT
 * Reads values of options, makes the environment of the next process image, and writes warnings text by text. */
#include "environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "pages.h"

/* ---- warnings ---- */

static void warning_put(const char *const *texts, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		ssize_t ignored = write(STDERR_FILENO, texts[i], strlen(texts[i]));
		(void)ignored;
	}
}

void native_warn(const char *text)
{
	const char *const texts[] = {"stmlog: ", text, "\n"};
	warning_put(texts, sizeof texts / sizeof *texts);
}

void native_warn_with(const char *text, const char *remedy)
{
	const char *const texts[] = {"stmlog: ", text, remedy, "\n"};
	warning_put(texts, sizeof texts / sizeof *texts);
}

void native_warn_of_option(const char *key, const char *value, const char *expected)
{
	const char *const texts[] = {
		"stmlog: STMLOG_OPTIONS: ", key, "=", value, " is not ", expected, "; using the default\n"};
	warning_put(texts, sizeof texts / sizeof *texts);
}

/* ---- values of options ---- */

#define SAMPLE_MAX 1000000

uint32_t native_number(const char *text, uint32_t max)
{
	uint64_t value = 0;
	for (; *text >= '0' && *text <= '9' && value <= max; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	return *text == '\0' && value <= max ? (uint32_t)value : 0;
}

uint32_t native_sample(void)
{
	const char *text = stmlog_option("sample");
	if (text == NULL)
		return stmlog_timeline_is_running() ? 1 : NATIVE_SAMPLE_AUTO;
	if (strcmp(text, "auto") == 0)
		return NATIVE_SAMPLE_AUTO;
	uint32_t value = native_number(text, SAMPLE_MAX);
	if (value == 0)
		native_warn_of_option("sample", text, "a number from 1 to 1000000, or auto");
	return value != 0 ? value : NATIVE_SAMPLE_AUTO;
}

/* ---- the number of the process image ---- */

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
