/* SPDX-License-Identifier: MIT
 * Folds tracebacks into contexts by a profile (stmlog/profile.h). The sites of the profile are numbers of frames
 * (frame_ids.h); its weight STMLOG_WEIGHT_OWN counts calls. */
#include "contexts.h"

#include <stdlib.h>

#include <stmlog/profile.h>
#include <stmlog/read.h>

#include "frame_ids.h"
#include "memory.h"
#include "saturate.h"

enum {
	CALLS = STMLOG_WEIGHT_OWN,
	NODES_MAX = 1 << 20, /* of a profile */
	DEEPEST = 512        /* frames of a traceback, its innermost ones: a file may have any number */
};

/* Amounts for the context of a traceback. */
struct sample {
	uint32_t traceback;
	uint64_t amounts[STMLOG_WEIGHTS];
};

struct builder {
	const struct recording *recording;
	struct sample *samples;
	size_t len, cap;
	uint64_t beyond[STMLOG_WEIGHTS];   /* for the overflow */
	double carried_ns[STMLOG_WEIGHTS]; /* the remainders of rounding up to now */
	struct frame_ids *ids;
	size_t frames;  /* of all samples together */
	size_t deepest; /* of one */
	struct contexts contexts;
	size_t *ancestors; /* the contexts of the profile's last path, by depth */
};

/* ---- samples of paths ---- */

/* Rounds and carries the remainder on, so that the sum of the results is the rounded sum. A file may hold any bytes for
 * a number. */
static uint64_t rounded(double ns, double *carried_ns)
{
	double due_ns = ns + *carried_ns;
	if (!(due_ns > -1 && due_ns < 1.8e19))
		return due_ns > 0 ? UINT64_MAX : 0;
	uint64_t whole_ns = due_ns > 0 ? (uint64_t)(due_ns + 0.5) : 0;
	*carried_ns = due_ns - (double)whole_ns;
	return whole_ns;
}

/* Sets a time: the estimate, if only some transactions were measured. */
static void set_time(
	struct builder *builder, uint64_t *amounts, enum stmlog_weight weight, uint64_t ns, double estimate)
{
	amounts[weight] =
		recording_is_sampled(builder->recording) ? rounded(estimate, &builder->carried_ns[weight]) : ns;
}

static void add_sample(struct builder *builder, const struct sample *sample)
{
	builder->samples = memory_grown(builder->samples, builder->len, &builder->cap, sizeof *builder->samples);
	builder->samples[builder->len++] = *sample;
}

static void add_amounts(uint64_t *into, const uint64_t *amounts)
{
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		into[i] += amounts[i];
}

static void add_path(struct builder *builder, const struct stmlog_path_record *path)
{
	struct sample sample = {.traceback = path->traceback};
	uint64_t *amounts = sample.amounts;
	set_time(builder, amounts, STMLOG_WEIGHT_ABORTED_NS, path->aborted_ns, path->estimated_aborted_ns);
	set_time(builder, amounts, STMLOG_WEIGHT_PAUSED_NS, path->paused_ns, path->estimated_paused_ns);
	set_time(builder, amounts, STMLOG_WEIGHT_WAITING_NS, path->waiting_ns, path->estimated_waiting_ns);
	set_time(builder, amounts, STMLOG_WEIGHT_USEFUL_NS, path->committed_ns, path->estimated_committed_ns);
	amounts[CALLS] = path->commits + path->aborts + path->pauses + path->waits;
	if ((path->flags & STMLOG_PATH_OVERFLOW) != 0)
		add_amounts(builder->beyond, amounts);
	else
		add_sample(builder, &sample);
}

/* ---- samples of losses, for files without paths ---- */

static enum stmlog_weight weight_of(uint32_t reason)
{
	return reason == STMLOG_PAUSE  ? STMLOG_WEIGHT_PAUSED_NS
	       : reason == STMLOG_WAIT ? STMLOG_WEIGHT_WAITING_NS
				       : STMLOG_WEIGHT_ABORTED_NS;
}

/* Adds its amounts to `given`, too. */
static void add_entry(struct builder *builder, const struct stmlog_entry_record *entry, uint64_t *given)
{
	struct sample sample = {.traceback = entry->local};
	set_time(builder, sample.amounts, weight_of(entry->reason), entry->lost_ns, entry->estimated_ns);
	sample.amounts[CALLS] = entry->count;
	add_sample(builder, &sample);
	add_amounts(given, sample.amounts);
}

/* All that was lost, by weights. */
static void sum_totals(const struct recording *recording, uint64_t *sums)
{
	double estimates[STMLOG_WEIGHTS] = {0}, nothing_carried;
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		sums[weight_of(total->reason)] += total->lost_ns;
		estimates[weight_of(total->reason)] += total->estimated_ns;
		sums[CALLS] += total->count;
	}
	for (size_t i = 0; recording_is_sampled(recording) && i < CALLS; i++) {
		nothing_carried = 0;
		sums[i] = rounded(estimates[i], &nothing_carried);
	}
}

/* Committed time has no traceback in such a file. */
static void add_commits(struct builder *builder)
{
	struct sample sample = {.traceback = 0};
	sample.amounts[STMLOG_WEIGHT_USEFUL_NS] = builder->recording->row_ns[STMLOG_ACCOUNT_COMMITTED];
	for (size_t i = 0; i < builder->recording->thread_count; i++)
		sample.amounts[CALLS] += builder->recording->threads[i].commits;
	add_sample(builder, &sample);
}

/* Losses that are in no entry were evicted: they go to the overflow. */
static void add_losses(struct builder *builder)
{
	const struct recording *recording = builder->recording;
	uint64_t given[STMLOG_WEIGHTS] = {0}, all[STMLOG_WEIGHTS] = {0};
	for (size_t i = 0; i < recording->entry_count; i++)
		add_entry(builder, &recording->entries[i], given);
	sum_totals(recording, all);
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		builder->beyond[i] += all[i] > given[i] ? all[i] - given[i] : 0;
	add_commits(builder);
}

/* ---- walking ---- */

/* The traceback, with no more frames than are walked. */
static struct recording_traceback traceback_of(const struct builder *builder, const struct sample *sample)
{
	struct recording_traceback traceback = recording_traceback(builder->recording, sample->traceback);
	if (traceback.len > DEEPEST)
		traceback.len = DEEPEST;
	return traceback;
}

static void measure(struct builder *builder, const struct sample *sample)
{
	struct recording_traceback traceback = traceback_of(builder, sample);
	size_t depth = 0;
	for (size_t i = 0; i < traceback.len; i++)
		depth += frame_ids_site(builder->ids, traceback.sites[i]).len;
	builder->frames += depth;
	if (depth > builder->deepest)
		builder->deepest = depth;
}

static size_t enter_site(struct builder *builder, struct stmlog_walker *walker, uint32_t site)
{
	struct frame_numbers numbers = frame_ids_site(builder->ids, site);
	for (size_t i = numbers.len; i-- > 0;)
		stmlog_walker_enter(walker, numbers.at[i]);
	return numbers.len;
}

static void walk(struct builder *builder, struct stmlog_walker *walker, const struct sample *sample)
{
	struct recording_traceback traceback = traceback_of(builder, sample);
	size_t depth = 0;
	for (size_t i = traceback.len; i-- > 0;)
		depth += enter_site(builder, walker, traceback.sites[i]);
	for (int i = 0; i < STMLOG_WEIGHTS; i++)
		stmlog_walker_add(walker, (enum stmlog_weight)i, sample->amounts[i]);
	while (depth-- > 0)
		stmlog_walker_exit(walker);
}

/* ---- contexts ---- */

static void add_context(
	struct contexts *contexts, size_t parent, const struct symbol_frame *frame, const uint64_t *amounts)
{
	contexts->at = memory_grown(contexts->at, contexts->len, &contexts->cap, sizeof *contexts->at);
	contexts->at[contexts->len++] = (struct context){
		.parent = parent,
		.frame = frame,
		.calls = amounts[CALLS],
		.aborted_ns = amounts[STMLOG_WEIGHT_ABORTED_NS],
		.paused_ns = amounts[STMLOG_WEIGHT_PAUSED_NS],
		.waiting_ns = amounts[STMLOG_WEIGHT_WAITING_NS],
		.committed_ns = amounts[STMLOG_WEIGHT_USEFUL_NS],
		.first_cycle = CONTEXTS_NONE,
	};
}

/* A way back from the path to one of its prefixes is for the functions behind the prefix and the prefix's last one. */
static void add_cycles(struct builder *builder, const struct stmlog_profile_path *path)
{
	struct contexts *contexts = &builder->contexts;
	for (size_t i = 0; i < path->back_count; i++) {
		size_t *first = &contexts->at[builder->ancestors[path->back[i]]].first_cycle;
		contexts->cycles = memory_grown(
			contexts->cycles, contexts->cycle_count, &contexts->cycle_cap, sizeof *contexts->cycles);
		contexts->cycles[contexts->cycle_count] = (struct context_cycle){path->len - path->back[i] + 1, *first};
		*first = contexts->cycle_count++;
	}
}

/* Adds the context of a path that has frames. `number` is that of its last frame. */
static void add_framed(struct builder *builder, const struct stmlog_profile_path *path, uint32_t number)
{
	struct contexts *contexts = &builder->contexts;
	add_context(contexts, builder->ancestors[path->len - 1], frame_ids_frame(builder->ids, number), path->weights);
	contexts->at[contexts->len - 1].frame_id = number;
	if (contexts->frame_count <= number)
		contexts->frame_count = (size_t)number + 1;
}

static void visit_context(const struct stmlog_profile_path *path, void *arg)
{
	struct builder *builder = arg;
	uint32_t last = path->len > 0 ? path->sites[path->len - 1] : STMLOG_SITE_ROOT;
	if (last == STMLOG_SITE_OVERFLOW) {
		add_amounts(builder->beyond, path->weights);
		return;
	}
	builder->ancestors[path->len] = builder->contexts.len;
	if (path->len > 0)
		add_framed(builder, path, last);
	else
		add_context(&builder->contexts, CONTEXTS_NONE, NULL, path->weights);
	add_cycles(builder, path);
}

static void fold(struct builder *builder)
{
	for (size_t i = 0; i < builder->len; i++)
		measure(builder, &builder->samples[i]);
	size_t nodes = builder->frames < NODES_MAX ? builder->frames : NODES_MAX;
	struct stmlog_profile *profile = stmlog_profile_create(nodes + (nodes == 0), builder->deepest + 1);
	struct stmlog_walker *walker = stmlog_walker_create(profile);
	if (walker == NULL)
		memory_end();
	for (size_t i = 0; i < builder->len; i++)
		walk(builder, walker, &builder->samples[i]);
	builder->ancestors = memory_zeroed(builder->deepest + 1, sizeof *builder->ancestors);
	stmlog_profile_query(profile, visit_context, builder);
	add_context(&builder->contexts, CONTEXTS_NONE, NULL, builder->beyond);
	builder->contexts.at[0].frame_id = builder->contexts.frame_count++;
	builder->contexts.at[builder->contexts.len - 1].frame_id = builder->contexts.frame_count++;
	stmlog_walker_destroy(&walker);
	stmlog_profile_destroy(&profile);
}

struct contexts contexts_init(const struct recording *recording, struct symbols *symbols)
{
	struct builder builder = {.recording = recording, .ids = frame_ids_create(recording, symbols)};
	for (size_t i = 0; i < recording->path_count; i++)
		add_path(&builder, &recording->paths[i]);
	if (recording->path_count == 0)
		add_losses(&builder);
	fold(&builder);
	frame_ids_destroy(&builder.ids);
	free(builder.samples);
	free(builder.ancestors);
	return builder.contexts;
}

void contexts_fini(struct contexts *contexts)
{
	free(contexts->at);
	free(contexts->cycles);
	*contexts = (struct contexts){0};
}

uint64_t context_lost_ns(const struct context *context)
{
	return saturated_sum(context->aborted_ns, saturated_sum(context->paused_ns, context->waiting_ns));
}

uint64_t context_time_ns(const struct context *context)
{
	return saturated_sum(context->committed_ns, context_lost_ns(context));
}

const char *contexts_fixed_name(const struct contexts *contexts, size_t context)
{
	if (contexts->at[context].frame != NULL)
		return NULL;
	return context == 0 ? "(root)" : "(overflow)";
}
