/* SPDX-License-Identifier: MIT
 * Reads values of options. */
#include "option_values.h"

#include <stddef.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "warning.h"

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
