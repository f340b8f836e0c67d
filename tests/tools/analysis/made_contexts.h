/* SPDX-License-Identifier: MIT
 * The calling contexts of the recording in a writer, and their text. */
#ifndef MADE_CONTEXTS_H
#define MADE_CONTEXTS_H

#include "loaded.h"

#include "contexts.h"
#include "recording_sample.h"

static struct writer writer;

/* The contexts of the recording in the writer. */
struct made {
	struct recording recording;
	struct symbols *symbols;
	struct contexts contexts;
};

static inline void make(struct made *made)
{
	if (load_written(&made->recording, &writer) != RECORDING_WHOLE)
		fail_msg("%s", made->recording.fault);
	made->symbols = symbols_create(&made->recording);
	made->contexts = contexts_init(&made->recording, made->symbols);
}

static inline void drop(struct made *made)
{
	contexts_fini(&made->contexts);
	symbols_destroy(&made->symbols);
	recording_fini(&made->recording);
}

static inline uint32_t place(const char *function)
{
	return writer_place(&writer, function, "bank.c", 1);
}

/* A line for each, "0 main:1 5 10/20/30/40": parent, frame, calls; aborted, paused, waiting, committed. */
static inline char *text_of(const struct contexts *contexts)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	for (size_t i = 0; i < contexts->len; i++) {
		const struct context *context = &contexts->at[i];
		if (context->frame == NULL)
			fputs(contexts_fixed_name(contexts, i), out);
		else
			fprintf(out, "%zu %s:%u", context->parent, context->frame->function, context->frame->line);
		fprintf(out, " %lu %lu/%lu/%lu/%lu\n", (unsigned long)context->calls,
			(unsigned long)context->aborted_ns, (unsigned long)context->paused_ns,
			(unsigned long)context->waiting_ns, (unsigned long)context->committed_ns);
	}
	fclose(out);
	return text;
}

static inline void expect_contexts(const char *expected)
{
	struct made made;
	make(&made);
	char *text = text_of(&made.contexts);
	assert_string_equal(text, expected);
	free(text);
	drop(&made);
}

static inline struct context sum_of(const struct contexts *contexts)
{
	struct context sum = {0};
	for (size_t i = 0; i < contexts->len; i++) {
		sum.calls += contexts->at[i].calls;
		sum.aborted_ns += contexts->at[i].aborted_ns;
		sum.paused_ns += contexts->at[i].paused_ns;
		sum.waiting_ns += contexts->at[i].waiting_ns;
		sum.committed_ns += contexts->at[i].committed_ns;
	}
	return sum;
}

#endif
