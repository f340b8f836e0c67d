/* SPDX-License-Identifier: MIT
 * The text of a site is made once, in both orders. */
#include "glue.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* A text and its length. A short one stands here: so it is found with a single access to memory, of which a large
 * recording needs one for each frame that it writes. */
enum { SHORT = 24 };
struct glue_text {
	uint32_t len;
	union {
		char few[SHORT];
		char *many; /* owned; if len > SHORT */
	};
};

/* The frames of a site in both orders; also of a gap, and of the mark between victim and culprit. */
struct glue_site {
	bool is_made;
	struct glue_text outermost_first, innermost_first;
};

enum { MARK = LOSS_GAPS, MORE_SITES };

/* "front;back"; owned. */
static char *joined(const struct glue *glue, const char *front, const char *back)
{
	return memory_format("%s%c%s", front, glue->separator, back);
}

/* Takes over the text. */
static struct glue_text text_of(char *text)
{
	size_t len = strlen(text);
	struct glue_text glued = {.len = (uint32_t)len};
	if (len > UINT32_MAX)
		memory_end();
	if (len > SHORT) {
		glued.many = text;
		return glued;
	}
	memcpy(glued.few, text, len);
	free(text);
	return glued;
}

/* Makes the texts of `len` frames, one at least, innermost first. */
static void make_site(const struct glue *glue, struct glue_site *site, const struct symbol_frame *frames, size_t len)
{
	char *outermost_first = glue->text(glue->arg, &frames[len - 1]);
	char *innermost_first = memory_text(outermost_first);
	for (size_t i = len - 1; i-- > 0;) {
		char *text = glue->text(glue->arg, &frames[i]), *outer = outermost_first, *inner = innermost_first;
		outermost_first = joined(glue, outer, text);
		innermost_first = joined(glue, text, inner);
		free(text);
		free(outer);
		free(inner);
	}
	*site = (struct glue_site){true, text_of(outermost_first), text_of(innermost_first)};
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
	if (site->is_made)
		return site;
	const struct symbol_site *frames = symbols_site(glue->symbols, number);
	make_site(glue, site, frames->frames, frames->len);
	return site;
}

static void write_text(struct glue *glue, const struct glue_text *text)
{
	if (glue->has_frame)
		putc_unlocked(glue->separator, glue->out);
	fwrite_unlocked(text->len > SHORT ? text->many : text->few, 1, text->len, glue->out);
	glue->has_frame = true;
}

/* Writes a gap or the mark. */
static void write_fixed(struct glue *glue, int which, const char *name)
{
	struct glue_site *site = slot(glue, glue->site_count + (size_t)which);
	char *function = memory_text(name);
	if (!site->is_made)
		make_site(glue, site, &(struct symbol_frame){.function = function}, 1);
	write_text(glue, &site->innermost_first);
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
		write_text(glue, &site_of(glue, culprit->sites[i])->innermost_first);
	write_gap(glue, culprit->gap);
}

void glue_write(struct glue *glue, const struct loss *loss, bool with_culprit)
{
	glue->has_frame = false;
	write_gap(glue, loss->victim.gap);
	for (size_t i = loss->victim.len; i-- > 0;)
		write_text(glue, &site_of(glue, loss->victim.sites[i])->outermost_first);
	if (with_culprit && loss->entry != NULL && loss->culprit.gap != LOSS_NOBODY)
		write_culprit(glue, &loss->culprit);
}

static void text_fini(struct glue_text *text)
{
	if (text->len > SHORT)
		free(text->many);
}

void glue_fini(struct glue *glue)
{
	for (size_t i = 0; glue->sites != NULL && i < glue->site_count + MORE_SITES; i++) {
		text_fini(&glue->sites[i].outermost_first);
		text_fini(&glue->sites[i].innermost_first);
	}
	free(glue->sites);
	glue->sites = NULL;
}
