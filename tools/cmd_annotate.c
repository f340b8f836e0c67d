/* SPDX-License-Identifier: MIT
 * `stmlog annotate`: its options. The listing is in annotate/. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate.h"
#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "number.h"
#include "output.h"
#include "recording.h"

enum { INPUT = 'i', SRCDIR = 256, TOP, CONTEXT };
enum { TOP_DEFAULT = 5, CONTEXT_DEFAULT = 5 };

static const struct option_row options[] = {
	{"input", INPUT, "FILE", "the recording (stmlog.data)"},
	{"srcdir", SRCDIR, "DIR", "look for sources below DIR first, by the ends of their paths"},
	{"top", TOP, "N", "how many functions to list (5; with FUNCTION all)"},
	{"context", CONTEXT, "N", "lines around each line that has figures (5)"},
	{0},
};

struct wishes {
	struct annotate_options options;
	bool has_top;
	const char *input;    /* NULL: not given */
	const char *function; /* NULL: all that lost */
};

static int set_option(struct wishes *wishes, struct arguments *arguments, int id)
{
	uint64_t number = 0;
	if (id == INPUT)
		wishes->input = arguments->value;
	if (id == SRCDIR)
		wishes->options.srcdir = arguments->value;
	if (id == TOP && !number_parse(arguments->value, &number))
		return arguments_refuse(arguments, "top", "a number");
	if (id == TOP) {
		wishes->options.top = (size_t)number;
		wishes->has_top = true;
	}
	if (id == CONTEXT && (!number_parse(arguments->value, &number) || number > UINT32_MAX))
		return arguments_refuse(arguments, "context", "a number of lines");
	if (id == CONTEXT)
		wishes->options.context = (uint32_t)number;
	return 0;
}

static int refuse_function(const struct wishes *wishes)
{
	diag("annotate", "no function with losses matches '%s'; 'stmlog report --by=site' lists them",
		wishes->function);
	return STATUS_UNUSABLE;
}

static int annotate(struct recording *recording, const struct wishes *wishes)
{
	int status = STATUS_DONE;
	struct symbols *symbols = symbols_create(recording);
	struct annotate listing = annotate_make(recording, symbols);
	struct printer out = text_printer(stdout);
	if (wishes->function != NULL)
		annotate_choose(&listing, wishes->function);
	if (wishes->function != NULL && listing.len == 0)
		status = refuse_function(wishes);
	else
		annotate_print(&listing, &wishes->options, &out);
	annotate_drop(&listing);
	symbols_destroy(&symbols);
	return status;
}

/* A recording that ends early is shown as far as it goes; its exit status is that of an error. */
static int annotate_file(const struct wishes *wishes)
{
	struct recording recording;
	enum recording_status found = recording_load(&recording, wishes->input);
	int status = STATUS_UNUSABLE;
	if (found != RECORDING_WHOLE)
		diag(wishes->input, "%s", recording.fault);
	if (found != RECORDING_UNUSABLE)
		status = annotate(&recording, wishes);
	recording_fini(&recording);
	return found == RECORDING_WHOLE ? status : STATUS_UNUSABLE;
}

static int cmd_annotate_run(const struct command *self, int argc, char **argv)
{
	struct wishes wishes = {.options = {.top = TOP_DEFAULT, .context = CONTEXT_DEFAULT}};
	struct arguments arguments = arguments_of(self, argc, argv);
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP || set_option(&wishes, &arguments, id) == ARGUMENTS_STOP)
			return arguments.status;
	}
	char **words = argv + arguments.first;
	if (wishes.input == NULL && words[0] != NULL && file_is_recording(words[0]))
		wishes.input = *words++;
	if (words[0] != NULL && words[1] != NULL) {
		diag(self->name, "one FUNCTION at most; '%s' is one more", words[1]);
		return STATUS_UNUSABLE;
	}
	if (wishes.input == NULL)
		wishes.input = RECORDING_USUAL_FILE;
	wishes.function = words[0];
	if (wishes.function != NULL && !wishes.has_top)
		wishes.options.top = SIZE_MAX;
	return diag_finish_stdout(annotate_file(&wishes));
}

const struct command cmd_annotate = {
	.name = "annotate",
	.arguments = "[FILE] [FUNCTION]",
	.summary = "shows lines of source with what each lost, and what others lost to it",
	.options = options,
	.notes = "FILE is the recording, as with --input; an argument that is no recording is FUNCTION.\n"
		 "\n"
		 "FUNCTION is a part of a function's name, or an extended regular expression. Without it, the\n"
		 "functions that lost most are shown, or because of which others lost most. 'lost' is the time of\n"
		 "losses at the line; 'lost to it' that of losses at any line because of a write or a read there.\n"
		 "Where a transaction begins, its own sums stand above the lines: they have what was lost in the\n"
		 "functions that it calls, too.\n",
	.has_colours = true,
	.is_paged = true,
	.run = cmd_annotate_run,
};
