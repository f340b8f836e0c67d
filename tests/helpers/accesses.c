/* SPDX-License-Identifier: MIT
 *
 * Writes records of accesses (format.h) to stdout, one for each line "KIND [ADDRESS [SIZE [GAP]]]" of stdin. KIND is a
 * number or a name of the table; what a line does not say is 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/format.h>

static const char *const names[STMLOG_ACCESS_KINDS] = {
	"THREAD", "BEGIN", "R", "RaR", "RaW", "RfW", "W", "WaR", "WaW", "ALONE", "COMMIT", "CANCEL"};

static uint16_t kind_of(const char *name)
{
	for (uint16_t kind = 0; kind < STMLOG_ACCESS_KINDS; kind++) {
		if (strcmp(name, names[kind]) == 0)
			return kind;
	}
	return (uint16_t)strtoul(name, NULL, 0);
}

static const char *next_word(const char *otherwise)
{
	const char *word = strtok(NULL, " \n");
	return word != NULL ? word : otherwise;
}

int main(void)
{
	char line[200];
	while (fgets(line, sizeof line, stdin) != NULL) {
		struct stmlog_access_record record = {0};
		const char *name = strtok(line, " \n");
		if (name == NULL)
			continue;
		record.kind = kind_of(name);
		record.address = strtoull(next_word("0"), NULL, 0);
		record.size = (uint16_t)strtoul(next_word("0"), NULL, 0);
		record.gap_ns = strtof(next_word("0"), NULL);
		fwrite(&record, sizeof record, 1, stdout);
	}
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
