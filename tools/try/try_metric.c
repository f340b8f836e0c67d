/* SPDX-License-Identifier: MIT
 * The number that a program prints: where a regular expression finds it. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "try.h"

/* A number and nothing else; commas between its digits, as in 1,234.5, are left out. */
static bool parse(char *text, double *value)
{
	char *to = text, *end;
	for (const char *from = text; *from != '\0'; from++) {
		if (*from != ',' || from == text || !isdigit((unsigned char)from[-1]))
			*to++ = *from;
	}
	*to = '\0';
	*value = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*value) && *value > 0;
}

bool try_metric_read(const regex_t *metric, const char *text, double *value)
{
	regmatch_t found[2];
	if (regexec(metric, text, 2, found, 0) != 0)
		return false;
	const regmatch_t *match = metric->re_nsub > 0 && found[1].rm_so >= 0 ? &found[1] : &found[0];
	char *number = memory_format("%.*s", (int)(match->rm_eo - match->rm_so), text + match->rm_so);
	bool is_number = parse(number, value);
	free(number);
	return is_number;
}
