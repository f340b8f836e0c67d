/* SPDX-License-Identifier: MIT
 * The last lines of `stmlog record`: where the recording is, and the command that shows more of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_printer.h"
#include "memory.h"
#include "number.h"
#include "quoted.h"
#include "record.h"
#include "recording.h"
#include "utf8.h"

static struct number size_of_file(const char *file)
{
	struct stat status;
	return number_bytes(stat(file, &status) == 0 ? (uint64_t)status.st_size : 0);
}

/* Prints both, each on a line of its own if one line has no room. No line is broken: users copy the command. Frees
 * both.
 */
static void print_both(char *where, char *next)
{
	struct printer out = file_printer(stderr);
	utf8_hide(where);
	utf8_hide(next);
	bool fits = out.width == 0 || fit_width(where) + 2 + fit_width(next) <= out.width;
	fprintf(stderr, "\n%s%s%s\n", where, fits ? "  " : "\n", next);
	free(where);
	free(next);
}

void record_print_next_series(const char *directory, bool are_pairs, bool has_page)
{
	char *at = quoted_word(directory),
	     *page = has_page ? memory_format("--html=%s/diff.html ", at) : memory_text("");
	print_both(memory_format("Recordings: %s", directory),
		are_pairs
			? memory_format("Next: stmlog diff %s%s/old-*.data -- %s/new-*.data", page, at, at)
			: memory_format("Next: stmlog merge -o %s/all.data %s/run-*.data && stmlog report %s/all.data",
				  at, at, at));
	free(page);
	free(at);
}

void record_print_where(const char *file)
{
	char *where = utf8_cleaned(memory_text(file));
	fprintf(stderr, "\nRecording: %s (%s)\n", where, size_of_file(file).text);
	free(where);
}
