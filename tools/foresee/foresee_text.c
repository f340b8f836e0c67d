/* SPDX-License-Identifier: MIT
 * Tables of what is foreseen. */
#include "foresee.h"

#include <sched.h>
#include <stdlib.h>

#include "memory.h"
#include "number.h"

/* "1.42 times (1.35 - 1.50)"; "-" where it is not known. */
static char *ratio_text(const struct foresee_ratio *ratio)
{
	if (!(ratio->value > 0))
		return memory_text("-");
	return memory_format("%s times (%s - %s)", number_rounded(ratio->value, 2).text,
		number_rounded(ratio->low, 2).text, number_rounded(ratio->high, 2).text);
}

/* Returns whether there are answers. */
static bool print_check(const struct printer *out, const struct foresee_check *check)
{
	if (check->replayed_per_s > 0) {
		printer_format(out, "Replayed as it was: %s commits/s, %s attempts a commit",
			number_count((uint64_t)check->replayed_per_s).text,
			number_rounded(check->replayed_per_commit, 2).text);
		printer_format(out, "; recorded: %s, %s; %s %% off.\n",
			number_count((uint64_t)check->recorded_per_s).text,
			number_rounded(check->recorded_per_commit, 2).text, number_rounded(check->off * 100, 0).text);
	}
	if (check->why_not != NULL)
		printer_format(out, "No answer: %s.\n", check->why_not);
	return check->why_not == NULL;
}

static void print_ratio(const struct printer *out, const char *name, const struct foresee_ratio *ratio)
{
	char *text = ratio_text(ratio);
	if (ratio->value > 0)
		printer_format(out, "  %-28s %s\n", name, text);
	free(text);
}

void foresee_text(const struct printer *out, const struct foreseen *foreseen, const struct findings *findings)
{
	if (!print_check(out, &foreseen->check))
		return;
	printer_text(out, "Commits per second, as a multiple:\n");
	print_ratio(out, "one thread alone", &foreseen->one_thread);
	print_ratio(out, "if threads shared no data", &foreseen->all_own);
	for (size_t i = 0; i < FORESEE_METHODS; i++) {
		char *name = memory_format("ITM_DEFAULT_METHOD=%s", foreseen->methods[i].name);
		print_ratio(out, name, &foreseen->methods[i].ratio);
		free(name);
	}
	for (size_t i = 0; i < foreseen->finding_count; i++) {
		char *text = ratio_text(&foreseen->findings[i].ratio);
		printer_format(out, "  without %zu: %-17s %s\n", i + 1, text, findings->at[i].text);
		free(text);
	}
}

/* ---- rows ---- */

/* How many processors the replay may use; 0: not known. */
static size_t processors(void)
{
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (size_t)CPU_COUNT(&cpus) : 0;
}

enum { BAR = 12 }; /* so that a row fits 80 columns */

static void print_row(const struct printer *out, const struct foresee_row *row, double max_per_s)
{
	static const char bar[BAR + 1] = "############";
	if (!(row->commits_per_s > 0)) {
		printer_format(out, "%7zu  %-9s  %12s\n", row->threads, row->method != NULL ? row->method : "", "-");
		return;
	}
	char *interval = memory_format(
		"%s - %s", number_count((uint64_t)row->low_per_s).text, number_count((uint64_t)row->high_per_s).text);
	int len = (int)(row->commits_per_s / max_per_s * BAR);
	printer_format(out, "%7zu  %-9s  %12s  %-23s  %5s %%  %.*s\n", row->threads,
		row->method != NULL ? row->method : "", number_count((uint64_t)row->commits_per_s).text, interval,
		number_rounded(row->failed * 100, 1).text, len, bar);
	free(interval);
}

void foresee_rows_text(
	const struct printer *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len)
{
	double max_per_s = 1;
	size_t max_threads = 0, known = processors();
	if (!print_check(out, check))
		return;
	printer_text(out, "threads  method        commits/s  interval                  failed\n");
	for (size_t i = 0; i < len; i++) {
		max_per_s = rows[i].commits_per_s > max_per_s ? rows[i].commits_per_s : max_per_s;
		max_threads = rows[i].threads > max_threads ? rows[i].threads : max_threads;
	}
	for (size_t i = 0; i < len; i++)
		print_row(out, &rows[i], max_per_s);
	if (known != 0 && max_threads > known)
		printer_format(out,
			"This machine has %zu processors: more threads share them. With a processor for\n"
			"each they may do otherwise, which cannot be tried here; run 'stmlog predict' on\n"
			"such a machine.\n",
			known);
}
