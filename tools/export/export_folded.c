/* SPDX-License-Identifier: MIT
 * Losses, or all time by call path, as folded stacks, the input of scripts that draw flame graphs: a line for each loss
 * or path, with its frames and its nanoseconds. A line has one number, so a file has one of the two.
 *
 * The line of a loss has the frames of the victim, outermost first, then "--" and the frames of the culprit, innermost
 * first; as in flame graphs that show who woke whom. A loss without another transaction has the victim's frames only.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "contexts.h"
#include "export.h"
#include "loss.h"
#include "memory.h"

/* A semicolon separates frames, so names must not have any. The caller frees it. */
static char *folded_name_of(const struct symbol_frame *frame)
{
	char *name = loss_frame_name(frame);
	for (char *at = name; *at != '\0'; at++) {
		if (*at == ';')
			*at = ':';
	}
	return name;
}

/* ---- losses ---- */

/* The frames of a site: several where functions are inlined. NULL: not made yet. */
struct site_text {
	char *outermost_first, *innermost_first;
};

struct folded {
	const struct export *export;
	struct site_text *sites;
	bool has_frame; /* in this line */
};

static void make_text(struct site_text *text, const struct symbol_site *site)
{
	text->outermost_first = folded_name_of(&site->frames[site->len - 1]);
	text->innermost_first = memory_text(text->outermost_first);
	for (size_t i = site->len - 1; i-- > 0;) {
		char *name = folded_name_of(&site->frames[i]), *outer = text->outermost_first,
		     *inner = text->innermost_first;
		text->outermost_first = memory_format("%s;%s", outer, name);
		text->innermost_first = memory_format("%s;%s", name, inner);
		free(name);
		free(outer);
		free(inner);
	}
}

static const struct site_text *site_text_of(struct folded *folded, uint32_t site)
{
	struct site_text *text = &folded->sites[site];
	if (text->outermost_first == NULL)
		make_text(text, symbols_site(folded->export->symbols, site));
	return text;
}

static void write_text(struct folded *folded, const char *text)
{
	if (folded->has_frame)
		putc_unlocked(';', folded->export->out);
	fputs_unlocked(text, folded->export->out);
	folded->has_frame = true;
}

static void write_gap(struct folded *folded, enum loss_gap gap)
{
	if (gap != LOSS_WHOLE)
		write_text(folded, loss_gap_name(gap));
}

static void write_loss(struct folded *folded, const struct loss *loss)
{
	folded->has_frame = false;
	write_gap(folded, loss->victim.gap);
	for (size_t i = loss->victim.len; i-- > 0;)
		write_text(folded, site_text_of(folded, loss->victim.sites[i])->outermost_first);
	if (loss->entry != NULL && loss->culprit.gap != LOSS_NOBODY) {
		write_text(folded, "--");
		for (size_t i = 0; i < loss->culprit.len; i++)
			write_text(folded, site_text_of(folded, loss->culprit.sites[i])->innermost_first);
		write_gap(folded, loss->culprit.gap);
	}
	fprintf(folded->export->out, " %" PRIu64 "\n", loss->lost_ns);
}

static void write_losses(const struct export *export)
{
	const struct recording *recording = export->recording;
	struct folded folded = {export, memory_zeroed(recording->site_count, sizeof *folded.sites), false};
	struct losses losses = losses_of(recording);
	struct loss loss;
	while (losses_next(&losses, &loss))
		write_loss(&folded, &loss);
	for (size_t i = 0; i < recording->site_count; i++) {
		free(folded.sites[i].outermost_first);
		free(folded.sites[i].innermost_first);
	}
	free(folded.sites);
}

/* ---- all time ---- */

struct paths {
	const struct contexts *contexts;
	char **names;       /* by frame_id; NULL: not made yet */
	size_t *stack, cap; /* the contexts of the present line, innermost first */
};

static const char *context_name(struct paths *paths, size_t context)
{
	const struct context *at = &paths->contexts->at[context];
	char **name = &paths->names[at->frame_id];
	if (*name == NULL)
		*name = at->frame != NULL ? folded_name_of(at->frame)
					  : memory_text(contexts_fixed_name(paths->contexts, context));
	return *name;
}

static void write_path(struct paths *paths, FILE *out, size_t context)
{
	size_t len = 0;
	for (; context != CONTEXTS_NONE; context = contexts_caller(paths->contexts, context)) {
		paths->stack = memory_grown(paths->stack, len, &paths->cap, sizeof *paths->stack);
		paths->stack[len++] = context;
	}
	while (len-- > 0) {
		fputs(context_name(paths, paths->stack[len]), out);
		if (len > 0)
			putc(';', out);
	}
}

static void write_times(const struct export *export)
{
	struct contexts contexts = contexts_init(export->recording, export->symbols);
	struct paths paths = {.contexts = &contexts};
	paths.names = memory_zeroed(contexts.frame_count, sizeof *paths.names);
	for (size_t i = 0; i < contexts.len; i++) {
		uint64_t ns = context_time_ns(&contexts.at[i]);
		if (ns == 0)
			continue;
		write_path(&paths, export->out, i);
		fprintf(export->out, " %" PRIu64 "\n", ns);
	}
	for (size_t i = 0; i < contexts.frame_count; i++)
		free(paths.names[i]);
	free(paths.names);
	free(paths.stack);
	contexts_fini(&contexts);
}

void export_folded(const struct export *export)
{
	if (export->of == EXPORT_OF_TIME)
		write_times(export);
	else
		write_losses(export);
}
