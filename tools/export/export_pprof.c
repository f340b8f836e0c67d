/* SPDX-License-Identifier: MIT
 * Losses for pprof, like Go's profiles of contention, so that the options for those apply. The stack of a sample is
 * the victim's. The culprit is a label: if its stack were put behind the victim's, as folded stacks do, the sample's
 * innermost function would be the culprit's outermost one.
 *
 * All time by call path is in the same profile, as further values of samples of its own. pprof shows one value at a
 * time, and leaves out samples in which that is 0; so neither kind is in the way of the other. Losses remain the
 * first. */
#include "export_pprof.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include <stmlog/causes.h>

#include "memory.h"
#include "utf8.h"

enum { LABELS = 4 };

struct labels {
	Pprof__Label label[LABELS], *list[LABELS];
	size_t len;
};

/* ---- time by call path ----
 * A sample for each context, whose stack is the folded path. Its locations are frames and not sites, since a context
 * has many sites. They have no mapping, as locations with a line have none; a frame without a function has its module
 * in its name. */

/* The id of a frame's location: behind those of sites and gaps. */
static uint64_t location_id(const struct pprof *pprof, size_t frame_id)
{
	return pprof_gap_location(pprof, LOSS_GAPS) + 1 + frame_id;
}

static size_t set_context_stack(struct pprof *pprof, const struct contexts *contexts, size_t context)
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
static void add_context(struct pprof *pprof, const struct contexts *contexts, size_t context)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	size_t first = pprof_has_losses(pprof->export) ? PPROF_LOSS_VALUES : 0;
	int64_t values[PPROF_LOSS_VALUES + PPROF_TIME_VALUES] = {0}, any = 0;
	for (int i = 0; i < PPROF_TIME_VALUES; i++)
		any |= values[first + (size_t)i] = value_of(&contexts->at[context], i);
	if (any == 0)
		return;
	sample.n_location_id = set_context_stack(pprof, contexts, context);
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

/* Writes all time by call path: samples, and locations of their own, behind those of losses. */
static void pprof_add_times(struct pprof *pprof)
{
	struct contexts contexts = contexts_init(pprof->export->recording, pprof->export->symbols);
	for (size_t i = 0; i < contexts.len; i++)
		add_context(pprof, &contexts, i);
	add_frames(pprof, &contexts);
	contexts_fini(&contexts);
}

/* ---- texts ---- */

/* The number of a constant text, found by its address. There are few. */
static int64_t fixed_text(struct pprof *pprof, const char *text)
{
	size_t i = 0;
	while (i < PPROF_FIXED - 1 && pprof->fixed[i].text != NULL && pprof->fixed[i].text != text)
		i++;
	if (pprof->fixed[i].text != text)
		pprof->fixed[i] = (struct pprof_fixed_text){text, pprof_message_text(pprof->message, text)};
	return pprof->fixed[i].number;
}

/* ---- the head ---- */

static void add_type(struct pprof *pprof, const char *type, const char *unit)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT, *list[1] = {&value};
	value.type = pprof_message_text(pprof->message, type);
	value.unit = pprof_message_text(pprof->message, unit);
	fields.n_sample_type = 1;
	fields.sample_type = list;
	pprof_message_add(pprof->message, &fields);
}

static void add_types(struct pprof *pprof)
{
	static const char *const times[PPROF_TIME_VALUES] = {
		"entries", "time", "committed", "aborted", "paused", "waiting"};
	if (pprof_has_losses(pprof->export)) {
		add_type(pprof, "contentions", "count");
		add_type(pprof, "delay", "nanoseconds");
	}
	for (int i = 0; pprof_has_time(pprof->export) && i < PPROF_TIME_VALUES; i++)
		add_type(pprof, times[i], i == PPROF_ENTRIES ? "count" : "nanoseconds");
}

/* Frees the text. */
static void add_comment(struct pprof *pprof, char *text)
{
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	int64_t comment = pprof_message_text_and_free(pprof->message, text);
	fields.n_comment = 1;
	fields.comment = &comment;
	pprof_message_add(pprof->message, &fields);
}

/* Of measured and of estimated recordings. */
static const char *const delays[] = {"delays are measured",
	"delays are estimates of what all transactions lost, each rounded so that they add up to the rounded total; "
	"contentions are those that were measured closely, 1 of several"};
static const char *const times[] = {"times by call path are measured",
	"times by call path are estimates for all transactions; entries are those that were measured closely, 1 of "
	"several"};

static void add_comments(struct pprof *pprof)
{
	const struct recording *recording = pprof->export->recording;
	char *version = utf8_clean(recording->info.version, UTF8_HIDE_CONTROLS);
	add_comment(pprof, memory_format("recorded by stmlog %s", version));
	free(version);
	if (recording->info.method[0] != '\0') {
		char *method = utf8_clean(recording->info.method, UTF8_HIDE_CONTROLS);
		add_comment(pprof, memory_format("transactions were run by method %s", method));
		free(method);
	}
	if (recording->info.processors != 0)
		add_comment(pprof,
			memory_format("the process might use %" PRIu64 " processors", recording->info.processors));
	if (pprof_has_losses(pprof->export))
		add_comment(pprof, memory_text(delays[recording_is_sampled(recording)]));
	if (pprof_has_time(pprof->export))
		add_comment(pprof, memory_text(times[recording_is_sampled(recording)]));
	if (recording->info.waits_estimated != 0)
		add_comment(
			pprof, memory_text("pauses and waits are estimates, from how long the STM's calls have taken"));
}

static void add_head(struct pprof *pprof)
{
	const struct recording_info *info = &pprof->export->recording->info;
	Pprof__Profile fields = PPROF__PROFILE__INIT;
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	bool has_losses = pprof_has_losses(pprof->export);
	add_types(pprof);
	period.type = pprof_message_text(pprof->message, has_losses ? "contentions" : "entries");
	period.unit = pprof_message_text(pprof->message, "count");
	fields.period_type = &period;
	fields.period = 1;
	fields.default_sample_type = pprof_message_text(pprof->message, has_losses ? "delay" : "time");
	fields.time_nanos = pprof_number(info->unix_ns);
	fields.duration_nanos = pprof_number(info->wall_ns);
	pprof_message_add(pprof->message, &fields);
	add_comments(pprof);
	pprof->reason = pprof_message_text(pprof->message, "reason");
	pprof->contention = pprof_message_text(pprof->message, "contention");
	pprof->runtime = pprof_message_text(pprof->message, "runtime");
	pprof->blocked_by = pprof_message_text(pprof->message, "blocked_by");
	pprof->runtime_name =
		pprof_message_text_and_free(pprof->message, utf8_clean(info->runtime, UTF8_HIDE_CONTROLS));
}

/* ---- samples of losses ---- */

static uint64_t location_of(struct pprof *pprof, size_t location)
{
	pprof->is_used[location] = true;
	return location + 1;
}

/* Returns the number of locations. */
static size_t set_stack(struct pprof *pprof, const struct loss_stack *stack)
{
	if (stack->len >= pprof->cap) {
		free(pprof->stack);
		pprof->cap = 2 * (stack->len + 1);
		pprof->stack = memory_zeroed(pprof->cap, sizeof *pprof->stack);
	}
	for (size_t i = 0; i < stack->len; i++)
		pprof->stack[i] = location_of(pprof, stack->sites[i]);
	if (stack->gap == LOSS_WHOLE)
		return stack->len;
	pprof->stack[stack->len] = location_of(pprof, pprof_gap_location(pprof, stack->gap));
	return stack->len + 1;
}

static int64_t culprit_at(struct pprof *pprof, uint32_t site)
{
	int64_t *culprit = &pprof->culprits[site];
	if (*culprit != 0)
		return *culprit;
	char *name = loss_site_name(pprof->export->recording, pprof->export->symbols, site);
	*culprit = pprof_message_text_and_free(pprof->message, name != NULL ? name : memory_text("unknown"));
	return *culprit;
}

static int64_t culprit_of(struct pprof *pprof, const struct loss_stack *culprit)
{
	if (culprit->len > 0)
		return culprit_at(pprof, culprit->sites[0]);
	if (culprit->gap == LOSS_NO_FRAMES)
		return fixed_text(pprof, loss_gap_name(culprit->gap));
	return fixed_text(pprof, culprit->gap == LOSS_NOBODY ? "nobody" : "unknown");
}

static void add_label(struct labels *labels, int64_t key, int64_t text)
{
	if (text == 0)
		return;
	Pprof__Label *label = &labels->label[labels->len];
	pprof__label__init(label);
	label->key = key;
	label->str = text;
	labels->list[labels->len++] = label;
}

/* Evicted entries have no cause. */
static void add_labels(struct pprof *pprof, const struct loss *loss, struct labels *labels)
{
	labels->len = 0;
	if (loss->entry != NULL) {
		add_label(labels, pprof->reason, fixed_text(pprof, stmlog_reason_name(loss->entry->reason)));
		add_label(
			labels, pprof->contention, fixed_text(pprof, stmlog_contention_name(loss->entry->contention)));
	}
	add_label(labels, pprof->runtime, pprof->runtime_name);
	add_label(labels, pprof->blocked_by, culprit_of(pprof, &loss->culprit));
}

static void add_sample(struct pprof *pprof, const struct loss *loss)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	struct labels labels;
	int64_t values[PPROF_LOSS_VALUES + PPROF_TIME_VALUES] = {(int64_t)loss->count, (int64_t)loss->lost_ns};
	add_labels(pprof, loss, &labels);
	sample.n_location_id = set_stack(pprof, &loss->victim);
	sample.location_id = pprof->stack;
	sample.n_value = pprof_value_count(pprof->export);
	sample.value = values;
	sample.n_label = labels.len;
	sample.label = labels.list;
	pprof_message_add_sample(pprof->message, &sample);
}

/* ---- the file ---- */

static void write_all(struct pprof *pprof)
{
	struct losses losses = losses_of(pprof->export->recording);
	struct loss loss;
	add_head(pprof);
	while (pprof_has_losses(pprof->export) && losses_next(&losses, &loss))
		add_sample(pprof, &loss);
	if (pprof_has_time(pprof->export))
		pprof_add_times(pprof);
	pprof_add_locations(pprof);
}

void export_pprof(const struct export *export)
{
	const struct recording *recording = export->recording;
	struct pprof pprof = {
		.export = export,
		.message = pprof_message_create(export->out),
		.is_used = memory_zeroed(recording->site_count + LOSS_GAPS, sizeof *pprof.is_used),
		.culprits = memory_zeroed(recording->site_count, sizeof *pprof.culprits),
		.modules = memory_zeroed(recording->module_count, sizeof *pprof.modules),
	};
	write_all(&pprof);
	pprof_message_end(&pprof.message);
	dictionary_fini(&pprof.functions);
	free(pprof.is_used);
	free(pprof.culprits);
	free(pprof.modules);
	free(pprof.stack);
}
