/* SPDX-License-Identifier: MIT
 * Converts recorded streams to steps. A step is half a cache line, and aligned to it. */
#include "steps.h"

#include <stdlib.h>

#include "requires.h"

enum { CACHE_LINE = 64 };

_Static_assert(sizeof(struct step) == CACHE_LINE / 2, "a step is in one cache line");

static enum step_action action_of_access(const struct stmlog_access_record *record)
{
	bool is_read = recorded_is_read(record);
	switch (record->size) {
#define X(bytes, type) \
	case bytes:    \
		return is_read ? STEP_READ_##bytes : STEP_WRITE_##bytes;
		STEPS_SIZES(X)
#undef X
	default:
		return is_read ? STEP_READ_COPY : STEP_WRITE_COPY;
	}
}

static enum step_action action_of(const struct stmlog_access_record *record)
{
	switch (record->kind) {
	case STMLOG_ACCESS_BEGIN:
		return STEP_BEGIN;
	case STMLOG_ACCESS_ALONE:
		return STEP_ALONE;
	case STMLOG_ACCESS_COMMIT:
		return STEP_COMMIT;
	case STMLOG_ACCESS_CANCEL:
		return STEP_CANCEL;
	default:
		return action_of_access(record);
	}
}

static struct step convert(const struct stmlog_access_record *record, const struct targets *targets, struct gap gap)
{
	bool is_access = recorded_is_access(record);
	return (struct step){
		.target = is_access ? targets_find(targets, record->address) : NULL,
		.barrier = is_access ? barriers_find(record->kind, record->size) : NULL,
		.wait_ticks = gap.ticks,
		.spin_iterations = gap.iterations,
		.size = record->size,
		.action = (uint16_t)action_of(record),
	};
}

struct step *steps_create(
	const struct recorded_stream *stream, const struct targets *targets, const struct gap_scale *scale)
{
	double rest = 0;
	REQUIRES(barriers_commit != NULL);
	struct step *steps = aligned_alloc(CACHE_LINE, (stream->count + 1) / 2 * CACHE_LINE);
	for (size_t i = 0; steps != NULL && i < stream->count; i++) {
		const struct stmlog_access_record *record = &stream->first[i];
		steps[i] = convert(record, targets, gap_of(scale, record->gap_ns, &rest));
	}
	return steps;
}
