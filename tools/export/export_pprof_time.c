/* SPDX-License-Identifier: MIT
 * All time by call path for pprof: a sample for each context, whose stack is the folded path. Its locations are frames
 * and not sites, since a context has many sites. They have no mapping, as locations with a line have none; a frame
 * without a function has its module in its name. */
#include <stdlib.h>

#include "export_pprof.h"
#include "memory.h"

/* The id of a frame's location: behind those of sites and gaps. */
static uint64_t location_id(const struct pprof *pprof, size_t frame_id)
{
	return pprof_gap_location(pprof, LOSS_GAPS) + 1 + frame_id;
}

static size_t set_stack(struct pprof *pprof, const struct contexts *contexts, size_t context)
{
	size_t len = 0;
	for (; context != CONTEXTS_NONE; context = contexts_caller(contexts, context)) {
		pprof->stack = memory_grown(pprof->stack, len, &pprof->cap, sizeof *pprof->stack);
		pprof->stack[len++] = location_id(pprof, contexts->at[context].frame_id);
	}
	return len;
}

/* A value of a context, without those of the contexts below. */
static int64_t value_of(const struct context *context, int value)
{
	const uint64_t values[PPROF_TIME_VALUES] = {context->calls, context_time_ns(context), context->committed_ns,
		context->aborted_ns, context->paused_ns, context->waiting_ns};
	return pprof_number(values[value]);
}

/* The frame of a context; that of the root and of the overflow has their names for a function. */
static struct symbol_frame frame_of(const struct contexts *contexts, size_t context)
{
	if (contexts->at[context].frame != NULL)
		return *contexts->at[context].frame;
	const char *name = contexts_fixed_name(contexts, context);
	return (struct symbol_frame){.function = (char *)(uintptr_t)name}; /* nobody changes it */
}

/* Contexts that have nothing of their own need no sample. */
static void add_sample(struct pprof *pprof, const struct contexts *contexts, size_t context)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	size_t first = pprof_has_losses(pprof->export) ? PPROF_LOSS_VALUES : 0;
	int64_t values[PPROF_LOSS_VALUES + PPROF_TIME_VALUES] = {0}, any = 0;
	for (int i = 0; i < PPROF_TIME_VALUES; i++)
		any |= values[first + (size_t)i] = value_of(&contexts->at[context], i);
	if (any == 0)
		return;
	sample.n_location_id = set_stack(pprof, contexts, context);
	sample.location_id = pprof->stack;
	sample.n_value = pprof_value_count(pprof->export);
	sample.value = values;
	pprof_message_add_sample(pprof->message, &sample);
}

/* A location for each frame. All that have one are used by a sample, or by one of a context below. */
static void add_frames(struct pprof *pprof, const struct contexts *contexts)
{
	bool *is_written = memory_zeroed(contexts->frame_count, sizeof *is_written);
	for (size_t i = 0; i < contexts->len; i++) {
		size_t frame_id = contexts->at[i].frame_id;
		struct symbol_frame frame = frame_of(contexts, i);
		Pprof__Location location = PPROF__LOCATION__INIT;
		location.id = location_id(pprof, frame_id);
		if (!is_written[frame_id])
			pprof_add_location(pprof, &location, &frame, 1);
		is_written[frame_id] = true;
	}
	free(is_written);
}

void pprof_add_times(struct pprof *pprof)
{
	struct contexts contexts = contexts_init(pprof->export->recording, pprof->export->symbols);
	for (size_t i = 0; i < contexts.len; i++)
		add_sample(pprof, &contexts, i);
	add_frames(pprof, &contexts);
	contexts_fini(&contexts);
}
