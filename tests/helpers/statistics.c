/* SPDX-License-Identifier: MIT
 *
 * statistics: the results of tools/common/statistics.h for samples on stdin, a line for each line, to be compared with
 * others:
 *
 *   u A... / B...   U p is_exact
 *   median A...     value low high confidence
 *   holm P... / WEIGHT...   adjusted...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

enum { MAX = 1000 };

/* Reads numbers up to the first word that is no number, or the end; returns how many. */
static size_t numbers(char **words, double *into)
{
	size_t len = 0;
	for (char *word; (word = strtok_r(NULL, " \n", words)) != NULL && word[0] != '/' && len < MAX;)
		into[len++] = strtod(word, NULL);
	return len;
}

static void answer(char *line)
{
	static double first[MAX], second[MAX];
	char *rest, *what = strtok_r(line, " \n", &rest);
	size_t len = numbers(&rest, first);
	if (what[0] == 'u') {
		struct statistics_u u = statistics_u(first, len, second, numbers(&rest, second));
		printf("%.17g %.17g %d\n", u.u, u.p, u.is_exact);
	} else if (what[0] == 'm') {
		struct statistics_median median = statistics_median(first, len);
		printf("%.17g %.17g %.17g %.17g\n", median.value, median.low, median.high, median.confidence);
	} else {
		static double adjusted[MAX];
		numbers(&rest, second);
		statistics_holm(first, second, adjusted, len);
		for (size_t i = 0; i < len; i++)
			printf("%.17g%c", adjusted[i], i + 1 < len ? ' ' : '\n');
	}
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0)
		answer(line);
	free(line);
	return 0;
}
