/* SPDX-License-Identifier: MIT
 * Compares the counts of libitm in two recordings, and says why they cannot be compared. */
#include "passive.h"

#include <string.h>

#include <stmlog/read.h>

#include "recorded_account.h"
#include "report_memory.h"

/* The first argument is not compared: the program may have been called by another name. */
static bool is_same_command(const struct recording_info *a, const struct recording_info *b)
{
	if (strcmp(a->program, b->program) != 0 || a->args.len != b->args.len)
		return false;
	for (size_t i = 1; i < a->args.len; i++) {
		if (strcmp(a->args.at[i], b->args.at[i]) != 0)
			return false;
	}
	return true;
}

const char *passive_mismatch(const struct recording *a, const struct recording *b)
{
	if (passive_is(a) == passive_is(b))
		return passive_is(a) ? "both are passive" : "neither is passive";
	if (!is_same_command(&a->info, &b->info))
		return "they are of different programs or arguments";
	return NULL;
}

/* Subtracts the aborts that the program asked for: the totals have the measured ones, and the runtime counts the
 * others. */
uint64_t passive_restarts(const struct recording *recording)
{
	uint64_t aborts = account_total(recording).aborts, asked = recording->info.unmeasured_cancels;
	for (size_t i = 0; i < recording->total_count; i++) {
		if (recording->totals[i].reason == STMLOG_USER_ABORT)
			asked += recording->totals[i].count;
	}
	return aborts > asked ? aborts - asked : 0;
}

double passive_ratio(const struct recording *passive, const struct recording *with_agent)
{
	uint64_t without = passive_restarts(passive);
	if (without == 0 || !recording_has_exact_totals(passive) || !recording_has_exact_totals(with_agent))
		return -1;
	return (double)passive_restarts(with_agent) / (double)without;
}

static bool is_libitm(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strncmp(slash != NULL ? slash + 1 : path, "libitm.so", sizeof "libitm.so" - 1) == 0;
}

char *passive_why_unknown(const struct recording *recording)
{
	if (recording_hides_losses(recording))
		return memory_text("hardware transactions leave no counts in libitm");
	for (size_t i = 0; i < recording->module_count; i++) {
		const struct stmlog_module_record *module = &recording->modules[i];
		if (is_libitm(recording_string(recording, module->path)))
			return memory_format("the counters of this libitm (build-id %s) are not known",
				module_build_id(module).text);
	}
	return memory_text("the counters of this libitm are not known");
}
