/* SPDX-License-Identifier: MIT
 * Gains that replaying has predicted (STMLOG_SECTION_GAINS): the gain of each finding, and the rule that another method
 * would gain. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "findings_search.h"
#include "number.h"
#include "report_memory.h"
#include "utf8.h"

bool finding_gains(const struct finding *finding)
{
	return finding->gain.ratio >= FINDING_GAIN_MIN && finding->gain.low >= FINDING_GAIN_LOW_MIN;
}

bool finding_may_gain_nothing(const struct finding *finding)
{
	return finding->gain.ratio > 0 && !finding_gains(finding);
}

/* Less than twice as many commits in percent, "+45 %"; more as a multiple. */
char *finding_gain_text(const struct finding *finding)
{
	const struct finding_gain *gain = &finding->gain;
	if (!(gain->ratio > 0))
		return memory_text("");
	if (gain->ratio >= 2)
		return memory_format("%s times the commits/s (%s to %s)", number_rounded(gain->ratio, 1).text,
			number_rounded(gain->low, 1).text, number_rounded(gain->high, 1).text);
	return memory_format("%s%s %% commits/s (%s to %s)", gain->ratio >= 1 ? "+" : "",
		number_rounded(gain->ratio * 100 - 100, 0).text, number_rounded(gain->low * 100 - 100, 0).text,
		number_rounded(gain->high * 100 - 100, 0).text);
}

/* ---- the gain of each finding ---- */

uint32_t finding_number(const struct findings *findings, size_t index)
{
	uint32_t number = 0;
	for (size_t i = 0; i < index; i++)
		number += findings->at[i].rule == findings->at[index].rule;
	return number;
}

void findings_set_gains(struct findings *findings, const struct recording *recording)
{
	for (size_t i = 0; i < findings->len; i++) {
		struct finding *finding = &findings->at[i];
		const struct stmlog_gain_record *record =
			recording_gain(recording, finding_rule_row(finding->rule)->name, finding_number(findings, i));
		if (record == NULL)
			continue;
		finding->gain = (struct finding_gain){record->ratio, record->low, record->high};
		if (record->way == STMLOG_GAIN_COMPUTED_BEFORE)
			finding->advice = "compute before the transaction";
	}
}

/* ---- the rule that another method would gain ---- */

static const struct {
	const char *gain, *name, *advice;
} methods[] = {
	{"method-gl_wt", "gl_wt", "ITM_DEFAULT_METHOD=gl_wt; larger transactions, or fewer that write"},
	{"method-ml_wt", "ml_wt", "ITM_DEFAULT_METHOD=ml_wt"},
	{"method-serialirr", "serialirr", "ITM_DEFAULT_METHOD=serialirr; or one thread"},
};

void findings_method_bound(struct findings_search *search)
{
	const struct stmlog_gain_record *best = NULL;
	size_t method = 0;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		const struct stmlog_gain_record *gain = recording_gain(search->recording, methods[i].gain, 0);
		if (gain == NULL || gain->low <= 1 || (best != NULL && gain->ratio <= best->ratio))
			continue;
		best = gain;
		method = i;
	}
	if (best == NULL || best->ratio < FINDING_GAIN_MIN)
		return;
	struct tally_sum nothing = {.count = 0};
	struct finding *finding = findings_add(search, FINDING_METHOD_BOUND, &nothing,
		utf8_cleaned(
			memory_format("%s; replayed with %s", search->recording->info.method, methods[method].name)),
		memory_text(""));
	finding->gain = (struct finding_gain){best->ratio, best->low, best->high};
	finding->advice = methods[method].advice;
}
