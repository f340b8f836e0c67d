/* SPDX-License-Identifier: MIT
 * The text of the report on what `writer` holds. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "loaded.h"

#include <stmlog/read.h>

#include "golden.h"
#include "recording_sample.h"
#include "text_has.h"

static struct writer writer;

static const struct report_options plain = {.top = REPORT_TOP_DEFAULT};

/* The text of what the writer holds; the caller frees it. */
static inline char *text_of(struct report_options options)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	return text;
}

static inline void expect_golden(struct report_options options, const char *name)
{
	OWNED(owned_free) char *text = text_of(options);
	golden_check(name, text);
}

static inline void expect_words(struct report_options options, const char *const *words)
{
	OWNED(owned_free) char *text = text_of(options);
	for (; *words != NULL; words++)
		assert_has(text, *words);
}

/* Entry `i` of those that the writer holds, and its threads. */
static inline struct stmlog_entry_record *written_entry(size_t i)
{
	return (struct stmlog_entry_record *)(void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes + i;
}

static inline struct stmlog_thread_record *written_threads(void)
{
	return (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
}

#endif
