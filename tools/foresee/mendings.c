/* SPDX-License-Identifier: MIT
 * From a finding to changed streams. */
#include "mendings.h"

#include <math.h>
#include <stdint.h>

#include "check.h"
#include "what_if.h"

static void add_site(const struct recording *recording, uint32_t site, struct what_if *change)
{
	if (site < recording->site_count)
		what_if_add_site(change, recording->sites[site].position);
}

/* Where the transactions of this traceback may have begun: any of its frames, or where transactions began that have
 * lost something with it. */
static void add_sites(const struct recording *recording, uint32_t reference, struct what_if *change)
{
	struct recording_traceback traceback = recording_traceback(recording, reference);
	for (size_t i = 0; i < recording->entry_count; i++)
		if (recording->entries[i].local == reference)
			add_site(recording, recording->entries[i].site, change);
	for (size_t i = 0; i < traceback.len; i++)
		add_site(recording, traceback.sites[i], change);
}

/* Which transactions would change: those of the finding's tracebacks, or all that access its words. */
enum whose { NOBODYS, OF_WHERE, OF_BECAUSE, OF_BOTH, OF_WORDS };

/* The changes that mend the cause of a finding; of several the better one counts. */
static const struct {
	enum finding_rule rule;
	enum what_if_change change;
	enum whose whose;
} table[] = {
	{FINDING_IRREVOCABLE, WHAT_IF_OUTSIDE, OF_WHERE},
	{FINDING_POLLING, WHAT_IF_NO_CANCEL, OF_WHERE},
	{FINDING_LARGE_READ_SET, WHAT_IF_READS_NOTHING, OF_WHERE},
	{FINDING_FALSE_SHARING, WHAT_IF_APART, NOBODYS},
	{FINDING_LOCK_ALIAS, WHAT_IF_NO_ALIAS, NOBODYS},
	{FINDING_HOT_WORD, WHAT_IF_OWN_WORDS, NOBODYS},
	{FINDING_HOT_WORD, WHAT_IF_COMPUTED_BEFORE, OF_WORDS},
	{FINDING_SELF_CONFLICT, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_MUTUAL_PAIR, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_ONE_PLACE, WHAT_IF_OWN_DATA, OF_BOTH},
	{FINDING_STARVATION, WHAT_IF_READS_NOTHING, OF_WHERE},
	{FINDING_COMMIT_WAIT, WHAT_IF_READS_NOTHING, OF_BECAUSE},
};
enum { MENDINGS = sizeof table / sizeof *table };

static struct what_if change_for(
	const struct plan *plan, const struct report *report, const struct finding *finding, size_t mending)
{
	enum whose whose = table[mending].whose;
	struct what_if change = {.change = table[mending].change};
	for (size_t k = 0; k < WHAT_IF_WORDS; k++)
		change.words[k] = finding->words[k];
	if (whose == OF_WHERE || whose == OF_BOTH)
		add_sites(report->recording, finding->where, &change);
	if (whose == OF_BECAUSE || whose == OF_BOTH)
		add_sites(report->recording, finding->because, &change);
	if (whose == OF_WORDS)
		what_if_add_sites_of_words(&plan->as_it_was, &change);
	return change;
}

struct mendings mendings_add(struct plan *plan, const struct report *report, const struct finding *finding)
{
	struct mendings mendings = {.len = 0};
	for (size_t i = 0; i < MENDINGS; i++) {
		if (table[i].rule != finding->rule)
			continue;
		struct what_if change = change_for(plan, report, finding, i);
		bool has_sites = table[i].whose == NOBODYS || what_if_has_sites(&plan->as_it_was, &change);
		bool has_words = finding->rule != FINDING_HOT_WORD || change.words[0] != 0;
		if (!has_sites || !has_words)
			continue;
		mendings.ways[mendings.len] =
			change.change == WHAT_IF_COMPUTED_BEFORE ? STMLOG_GAIN_COMPUTED_BEFORE : STMLOG_GAIN_ADVISED;
		mendings.at[mendings.len++] = plan_add_change(plan, &change);
	}
	return mendings;
}

struct foresee_ratio mendings_ratio(struct foresee_ratio replayed, const struct foresee_check *check)
{
	const double left = 1.0 / 50;
	if (!(replayed.value > 0) || !(check->recorded_per_s > 0))
		return (struct foresee_ratio){0, 0, 0};
	double factor = sqrt(check->replayed_per_s / check->recorded_per_s);
	return (struct foresee_ratio){
		replayed.value * factor, 1 / (1 / (replayed.low * factor) + left), replayed.high * factor};
}

struct foresee_mended mendings_best(
	const struct plan *plan, const struct mendings *mendings, const struct foresee_check *check)
{
	struct foresee_mended best = {.way = STMLOG_GAIN_ADVISED};
	REQUIRES(plan->has_run);
	for (size_t i = 0; i < mendings->len; i++) {
		struct foresee_ratio ratio = mendings_ratio(plan_ratio(plan, mendings->at[i], check->off), check);
		if (ratio.value > best.ratio.value)
			best = (struct foresee_mended){ratio, mendings->ways[i]};
	}
	return best;
}
