/* SPDX-License-Identifier: MIT
 * `stmlog predict`: its options, and what is foreseen as text or JSON. The replays are in foresee/. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "file_printer.h"
#include "foresee.h"
#include "memory.h"
#include "number.h"
#include "plan.h"
#include "recording.h"
#include "symbol.h"

enum { THREADS = 256, METHOD, SECONDS, JSON };

static const struct option_row options[] = {
	{"threads", THREADS, "N,...", "numbers of threads, at most 64 each"},
	{"method", METHOD, "NAME,...", "methods of libitm: ml_wt, gl_wt, serial, serialirr, serialirr_onwrite, htm"},
	{"seconds", SECONDS, "S", "replay for about so long in all (5)"},
	{"json", JSON, NULL, "print one JSON object"},
	{0},
};

enum { THREADS_MAX = 64, LIST_MAX = 16, TRIES = 2 };

struct wishes {
	size_t threads[LIST_MAX], threads_len;
	const char *methods[LIST_MAX]; /* static */
	size_t methods_len;
	uint64_t ns;
	bool is_json;
};

static bool add_threads(struct wishes *wishes, const char *word)
{
	uint64_t number;
	if (!number_parse(word, &number) || number < 1 || number > THREADS_MAX || wishes->threads_len == LIST_MAX)
		return false;
	wishes->threads[wishes->threads_len++] = (size_t)number;
	return true;
}

static bool add_method(struct wishes *wishes, const char *word)
{
	const char *method = plan_method(word);
	if (method == NULL || wishes->methods_len == LIST_MAX)
		return false;
	wishes->methods[wishes->methods_len++] = method;
	return true;
}

/* Each word between commas. */
static bool each_word(struct wishes *wishes, const char *text, bool (*add)(struct wishes *wishes, const char *word))
{
	bool is_right = true;
	for (const char *at = text; is_right && at != NULL;) {
		size_t len = strcspn(at, ",");
		char *word = memory_format("%.*s", (int)len, at);
		is_right = add(wishes, word);
		free(word);
		at = at[len] == ',' ? at + len + 1 : NULL;
	}
	return is_right;
}

static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	switch (id) {
	case THREADS:
		if (!each_word(wishes, arguments->value, add_threads))
			return arguments_refuse(arguments, "threads", "numbers from 1 to 64 with commas between them");
		break;
	case METHOD:
		if (!each_word(wishes, arguments->value, add_method))
			return arguments_refuse(
				arguments, "method", "ml_wt, gl_wt, serial, serialirr, serialirr_onwrite or htm");
		break;
	case SECONDS:
		if (!number_parse_seconds(arguments->value, &wishes->ns) || wishes->ns == 0)
			return arguments_refuse(arguments, "seconds", "a time above 0, such as 5 or 2.5");
		break;
	default:
		wishes->is_json = true;
	}
	return 0;
}

/* Every number of threads with every method; if either is missing, with those of the recording. */
static struct foresee_row *rows_of(const struct wishes *wishes, const struct recording *recording, size_t *len)
{
	size_t threads = wishes->threads_len > 0 ? wishes->threads_len : 1;
	size_t methods = wishes->methods_len > 0 ? wishes->methods_len : 1;
	struct foresee_row *rows = memory_zeroed(threads * methods, sizeof *rows);
	*len = 0;
	for (size_t i = 0; i < threads; i++)
		for (size_t k = 0; k < methods; k++)
			rows[(*len)++] = (struct foresee_row){
				.threads = wishes->threads_len > 0 ? wishes->threads[i] : foresee_threads(recording),
				.method = wishes->methods_len > 0 ? wishes->methods[k] : NULL};
	return rows;
}

static struct foresee_effort effort_for(const struct wishes *wishes, const struct recording *recording)
{
	return (struct foresee_effort){(double)wishes->ns / NUMBER_S, TRIES, foresee_line_ns(recording)};
}

static void print_rows(const struct report *report, const struct wishes *wishes, const struct foresee_effort *effort)
{
	size_t len;
	struct foresee_row *rows = rows_of(wishes, report->recording, &len);
	struct foresee_check check = foresee_rows(report, rows, len, effort);
	if (wishes->is_json)
		foresee_rows_json(stdout, &check, rows, len);
	else
		foresee_rows_text(report->out, &check, rows, len);
	free(rows);
}

/* Returns false, after it has printed why, if FILE cannot have the gains. If there is no answer, FILE keeps the gains
 * of an earlier prediction, if it has any (`has_gains`). */
static bool print_findings(const struct report *report, const struct wishes *wishes,
	const struct foresee_effort *effort, const char *path, bool has_gains)
{
	struct findings findings = findings_of(report);
	struct foreseen foreseen = foresee(report, &findings, effort);
	if (wishes->is_json)
		foresee_json(stdout, &foreseen, &findings);
	else
		foresee_text(report->out, &foreseen, &findings);
	bool is_kept = strcmp(path, "-") == 0 || (has_gains && foreseen.check.why_not != NULL);
	bool is_saved = is_kept || foresee_save(path, &foreseen, &findings, effort->line_ns);
	foreseen_fini(&foreseen);
	findings_fini(&findings);
	return is_saved;
}

static int predict(const struct wishes *wishes, const char *path)
{
	struct recording recording;
	int status = STATUS_DONE;
	if (recording_load(&recording, path) != RECORDING_WHOLE) {
		diag(path, "%s", recording.fault);
		status = STATUS_UNUSABLE;
	} else {
		bool has_gains = recording_gain(&recording, "one-thread", RECORDING_ANY_NUMBER) != NULL;
		struct foresee_effort effort = effort_for(wishes, &recording);
		recording.gain_count = 0; /* those of an earlier prediction change the order of the findings */
		struct symbols *symbols = symbols_create(&recording);
		struct printer out = wishes->is_json ? file_printer(stdout) : text_printer(stdout);
		struct report report = {&recording, symbols, {.top = REPORT_TOP_DEFAULT}, &out, NULL, path, NULL};
		if (wishes->threads_len + wishes->methods_len > 0)
			print_rows(&report, wishes, &effort);
		else if (!print_findings(&report, wishes, &effort, path, has_gains))
			status = STATUS_UNUSABLE;
		symbols_destroy(&symbols);
	}
	recording_fini(&recording);
	return diag_finish_stdout(status);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.ns = 5 * (uint64_t)NUMBER_S};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END)
		if (id == ARGUMENTS_STOP || set_option(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	if (argc - arguments.first > 1) {
		diag("predict", "more than one FILE; name one");
		return STATUS_UNUSABLE;
	}
	return predict(&wishes, argc > arguments.first ? argv[arguments.first] : RECORDING_USUAL_FILE);
}

const struct command cmd_predict = {
	.name = "predict",
	.arguments = "[FILE]",
	.summary = "replays a recording with other threads, methods, or without its conflicts",
	.options = options,
	.notes = "A recording of a libitm program has some of its transactions, access by access. They are replayed on "
		 "this\n"
		 "machine with libitm itself: as they were, and changed, in turns. So the answers hold for this "
		 "machine, and\n"
		 "for the work that was recorded. FILE is stmlog.data unless given.\n\n"
		 "Without options the changes are those that the findings advise: each finding gets the commits per "
		 "second\n"
		 "that the program would gain, which FILE keeps for 'stmlog report'. With --threads or --method a "
		 "table has the commits per second and the "
		 "failed\n"
		 "attempts with these, and FILE stays as it is. A thread beyond those of the recording makes the "
		 "transactions of one of them.\n"
		 "If this machine has fewer processors than threads, the threads share them, and a machine with more\n"
		 "processors may do otherwise.\n\n"
		 "First the replay of the program as it was is compared with the recording. How far it is off widens "
		 "each\n"
		 "interval; if it is off by more than a third, there is no answer.\n",
	.has_colours = true,
	.run = run,
};
