/* SPDX-License-Identifier: MIT
 * The text of a site is made once, in both orders. */
#include "glue.h"

#include <stdlib.h>

#include "memory.h"

/* The frames of a site in both orders; also of a gap, and of the mark between victim and culprit. NULL: not made yet.
 */
struct glue_site {
	char *outermost_first, *innermost_first;
};

enum { MARK = LOSS_GAPS, MORE_SITES };

/* "front;back", or one of them if the other is NULL. Owned. */
static char *joined(const struct glue *glue, const char *front, const char *back)
{
	if (front == NULL || back == NULL)
		return memory_text(front != NULL ? front : back);
	return memory_format("%s%c%s", front, glue->separator, back);
}

static void add_frame(const struct glue *glue, struct glue_site *site, const struct symbol_frame *frame)
{
	struct glue_site old = *site;
	char *text = glue->text(glue->arg, frame);
	site->outermost_first = joined(glue, old.outermost_first, text);
	site->innermost_first = joined(glue, text, old.innermost_first);
	free(text);
	free(old.outermost_first);
	free(old.innermost_first);
}

static struct glue_site *slot(struct glue *glue, size_t number)
{
	if (glue->sites == NULL)
		glue->sites = memory_zeroed(glue->site_count + MORE_SITES, sizeof *glue->sites);
	return &glue->sites[number];
}

static const struct glue_site *site_of(struct glue *glue, uint32_t number)
{
	struct glue_site *site = slot(glue, number);
	if (site->innermost_first != NULL)
		return site;
	const struct symbol_site *frames = symbols_site(glue->symbols, number);
	for (size_t i = frames->len; i-- > 0;)
		add_frame(glue, site, &frames->frames[i]);
	return site;
}

static void write_text(struct glue *glue, const char *text)
{
	if (glue->has_frame)
		putc(glue->separator, glue->out);
	fputs(text, glue->out);
	glue->has_frame = true;
}

/* Writes a gap or the mark. */
static void write_fixed(struct glue *glue, int which, const char *name)
{
	struct glue_site *site = slot(glue, glue->site_count + (size_t)which);
	char *function = memory_text(name);
	if (site->innermost_first == NULL)
		add_frame(glue, site, &(struct symbol_frame){.function = function});
	write_text(glue, site->innermost_first);
	free(function);
}

static void write_gap(struct glue *glue, enum loss_gap gap)
{
	if (gap != LOSS_WHOLE)
		write_fixed(glue, (int)gap, loss_gap_name(gap));
}

static void write_culprit(struct glue *glue, const struct loss_stack *culprit)
{
	write_fixed(glue, MARK, "--");
	for (size_t i = 0; i < culprit->len; i++)
		write_text(glue, site_of(glue, culprit->sites[i])->innermost_first);
	write_gap(glue, culprit->gap);
}

void glue_write(struct glue *glue, const struct loss *loss, bool with_culprit)
{
	glue->has_frame = false;
	write_gap(glue, loss->victim.gap);
	for (size_t i = loss->victim.len; i-- > 0;)
		write_text(glue, site_of(glue, loss->victim.sites[i])->outermost_first);
	if (with_culprit && loss->entry != NULL && loss->culprit.gap != LOSS_NOBODY)
		write_culprit(glue, &loss->culprit);
}

void glue_fini(struct glue *glue)
{
	for (size_t i = 0; glue->sites != NULL && i < glue->site_count + MORE_SITES; i++) {
		free(glue->sites[i].outermost_first);
		free(glue->sites[i].innermost_first);
	}
	free(glue->sites);
	glue->sites = NULL;
}
