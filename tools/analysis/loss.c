/* SPDX-License-Identifier: MIT
 * Rounds the estimates so that they add up to the time of all measured losses. */
#include "loss.h"

#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/read.h>

#include "estimate.h"
#include "memory.h"
#include "utf8.h"

/* A file may hold any bytes for a number. */
static double sane(double ns)
{
	const double max_ns = 9e18;
	if (!(ns > 0))
		return 0;
	return ns < max_ns ? ns : max_ns;
}

static uint64_t min(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

/* What the report says of all measured losses, less the sum of all estimates: the total was added up in another order,
 * and rounded. Whole nanoseconds are added apart from fractions, so that a long sum loses no fractions. */
static double total_less_parts(const struct recording *recording)
{
	uint64_t total_ns = estimate_of_explained(recording).ns, parts_ns = 0;
	double fractions_ns = 0;
	for (size_t i = 0; i <= recording->entry_count; i++) {
		bool is_entry = i < recording->entry_count;
		double ns = sane(is_entry ? recording->entries[i].estimated_ns : recording->evicted_estimated_ns);
		parts_ns += (uint64_t)ns;
		fractions_ns += ns - (double)(uint64_t)ns;
	}
	return (double)(int64_t)(total_ns - parts_ns) - fractions_ns;
}

struct losses losses_of(const struct recording *recording)
{
	struct losses losses = {.recording = recording};
	if (recording_is_sampled(recording)) {
		double owed_ns = total_less_parts(recording),
		       slack_ns = 1 + 1e-9 * recording_total(recording).estimated_ns;
		/* A larger difference is no matter of rounding: then the totals do not belong to the entries. */
		losses.owed_ns = owed_ns <= slack_ns && owed_ns >= -slack_ns ? owed_ns : 0;
	}
	return losses;
}

static uint64_t round_ns(struct losses *losses, double estimated_ns)
{
	losses->owed_ns += sane(estimated_ns);
	if (!(losses->owed_ns >= 0.5))
		return 0;
	uint64_t ns = (uint64_t)(losses->owed_ns + 0.5);
	losses->owed_ns -= (double)ns;
	return min(ns, INT64_MAX);
}

static uint64_t lost_ns_of(struct losses *losses, uint64_t lost_ns, double estimated_ns)
{
	if (recording_is_sampled(losses->recording))
		return round_ns(losses, estimated_ns);
	return min(lost_ns, INT64_MAX);
}

static struct loss_stack stack_of(const struct recording *recording, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(recording, reference);
	struct loss_stack stack = {traceback.sites, traceback.len, traceback.is_cut ? LOSS_CUT : LOSS_WHOLE};
	if (traceback.len == 0)
		stack.gap = traceback.is_known ? LOSS_NO_FRAMES : LOSS_UNKNOWN;
	return stack;
}

static struct loss_stack culprit_of(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	struct loss_stack stack = stack_of(recording, entry->remote);
	bool is_known = stack.gap != LOSS_UNKNOWN || entry->reason == STMLOG_USER_ABORT;
	if (stack.len == 0 && entry->contention == STMLOG_NONE && is_known)
		stack.gap = LOSS_NOBODY;
	return stack;
}

static bool set_evicted(struct losses *losses, struct loss *loss)
{
	const struct recording *recording = losses->recording;
	*loss = (struct loss){
		.count = min(recording->evicted_count, INT64_MAX),
		.lost_ns = lost_ns_of(losses, recording->evicted_lost_ns, recording->evicted_estimated_ns),
		.victim = {.gap = LOSS_EVICTED},
		.culprit = {.gap = LOSS_UNKNOWN},
	};
	return loss->count != 0 || loss->lost_ns != 0;
}

bool losses_next(struct losses *losses, struct loss *loss)
{
	const struct recording *recording = losses->recording;
	if (losses->next > recording->entry_count)
		return false;
	if (losses->next++ == recording->entry_count)
		return set_evicted(losses, loss);
	const struct stmlog_entry_record *entry = &recording->entries[losses->next - 1];
	*loss = (struct loss){
		.entry = entry,
		.count = min(entry->count, INT64_MAX),
		.lost_ns = lost_ns_of(losses, entry->lost_ns, entry->estimated_ns),
		.victim = stack_of(recording, entry->local),
		.culprit = culprit_of(recording, entry),
	};
	return true;
}

/* ---- names ---- */

const char *loss_gap_name(enum loss_gap gap)
{
	static const char *const names[LOSS_GAPS] = {"unknown", "(no frames)", "(evicted)", "(cut)", "(nobody)"};
	return names[gap];
}

char *loss_frame_name(const struct symbol_frame *frame)
{
	if (frame->function != NULL)
		return utf8_clean(frame->function, UTF8_HIDE_CONTROLS);
	if (frame->module != NULL && frame->module[0] != '\0')
		return utf8_cleaned(memory_format("%s+0x%" PRIx64, symbol_basename(frame->module), frame->offset));
	return memory_format("0x%" PRIx64, frame->offset);
}

char *loss_frame_place(const struct symbol_frame *frame)
{
	char *name = loss_frame_name(frame);
	if (frame->file == NULL)
		return name;
	char *position = symbol_position(symbol_basename(frame->file), frame->line, frame->last_line);
	char *text = memory_format("%s %s", name, position);
	free(position);
	free(name);
	return utf8_cleaned(text);
}

/* Whether the site has no name, only numbers that differ from run to run. */
static bool is_address(const struct stmlog_site_record *site, const struct symbol_frame *frame)
{
	bool is_in_file = frame->module != NULL && frame->module[0] != '\0';
	bool is_in_code = site->kind == STMLOG_SITE_ADDRESS || site->kind == STMLOG_SITE_NAMED;
	return is_in_code ? frame->function == NULL && !is_in_file : site->function == 0;
}

char *loss_site_name(const struct recording *recording, struct symbols *symbols, uint32_t site)
{
	const struct symbol_frame *frame = &symbols_site(symbols, site)->frames[0];
	if (is_address(&recording->sites[site], frame))
		return NULL;
	return loss_frame_place(frame);
}
