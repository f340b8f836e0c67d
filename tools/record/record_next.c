/* SPDX-License-Identifier: MIT
 * The last line of `stmlog record`: where the recording is, and the command that shows more of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "record.h"
#include "recording.h"
#include "utf8.h"

/* "30 kB"; owned. */
static char *size_text(const char *file)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	struct stat status;
	uint64_t size = stat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
	size_t unit = 0;
	for (; size >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
		size = (size + 500) / 1000;
	return memory_format("%" PRIu64 " %s", size, units[unit]);
}

char *record_quoted(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-";
	size_t len = strlen(word), used = 0;
	if (len > 0 && word[0] != '-' && strspn(word, plain) == len)
		return memory_text(word);
	/* A quotation mark becomes four characters; "./" before a dash, two around all, and the end. */
	char *quoted = memory_zeroed(4 * len + 5, 1);
	quoted[used++] = '\'';
	if (word[0] == '-') {
		quoted[used++] = '.';
		quoted[used++] = '/';
	}
	for (; *word != '\0'; word++) {
		/* A quotation mark ends the quoted text, stands by itself behind a backslash, and begins it anew. */
		for (const char *ended = *word == '\'' ? "'\\'" : ""; *ended != '\0'; ended++)
			quoted[used++] = *ended;
		quoted[used++] = *word;
	}
	quoted[used] = '\'';
	return quoted;
}

/* Prints the line and frees it. */
static void tell(char *line)
{
	utf8_hide(line);
	fprintf(stderr, "\n%s\n", line);
	free(line);
}

void record_tell_next_series(const char *directory)
{
	char *quoted = record_quoted(directory);
	tell(memory_format(
		"Recordings: %s  Next: stmlog diff %s/old-*.data -- %s/new-*.data", directory, quoted, quoted));
	free(quoted);
}

void record_tell_next(const char *file)
{
	char *size = size_text(file), *quoted = record_quoted(file);
	bool is_usual = strcmp(file, RECORDING_USUAL_FILE) == 0;
	tell(memory_format("Recording: %s (%s)  Next: stmlog report --by=pair%s%s", file, size, is_usual ? "" : " ",
		is_usual ? "" : quoted));
	free(quoted);
	free(size);
}
