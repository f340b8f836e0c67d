/* SPDX-License-Identifier: MIT
 * Methods of libitm: which rules can apply under each, and the cost of methods that run one transaction at a time or
 * have one lock. Such a cost is computed from all lost time, including that of attempts that were only timed, and not
 * from single losses. */
#include <string.h>

#include <stmlog/read.h>

#include "findings_search.h"
#include "report_memory.h"
#include "utf8.h"

enum method { ML_WT, GL_WT, SERIAL, SERIALIRR, SERIALIRR_ONWRITE, HTM, OTHER, METHOD_COUNT };

static enum method method_of(const struct recording_info *info)
{
	static const char *const names[OTHER] = {"ml_wt", "gl_wt", "serial", "serialirr", "serialirr_onwrite", "htm"};
	size_t method = ML_WT;
	while (method < OTHER && strcmp(info->method, names[method]) != 0)
		method++;
	return strcmp(info->runtime, "libitm") == 0 ? (enum method)method : OTHER;
}

bool findings_can_be(const struct recording *recording, enum finding_rule rule)
{
	static const bool can_be[FINDING_RULES][METHOD_COUNT] = {
#define METHODS(rule, ...) [FINDING_##rule] = {__VA_ARGS__},
#include "findings_methods.def"
	};
	return can_be[rule][method_of(&recording->info)];
}

/* The part of the entry's losses that other rules have claimed; all of it if the program itself has asked for the
 * abort. */
static double part_of_others(const struct findings_search *search, size_t i)
{
	bool is_asked_for = search->recording->entries[i].reason == STMLOG_USER_ABORT;
	return is_asked_for ? 1 : 1 - findings_rest(search, i);
}

/* The part of all lost time that no other rule explains, from 0 to 1. */
static double part_left(const struct findings_search *search)
{
	double others_ns = 0, all_ns = (double)search->total.ns;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct tally_sum sum = tally_sum_of(&search->recording->entries[i]);
		others_ns += (double)estimate_of(search->recording, &sum).ns * part_of_others(search, i);
	}
	return others_ns < all_ns ? 1 - others_ns / all_ns : 0;
}

static struct tally_sum sum_left(const struct findings_search *search)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&search->recording->entries[i]);
		struct tally_sum part = findings_part(&whole, 1 - part_of_others(search, i));
		tally_sum_add(&sum, &part);
	}
	return sum;
}

static void find(struct findings_search *search, enum finding_rule rule)
{
	struct tally_sum sum = sum_left(search);
	struct estimate lost = estimate_part(&search->total, part_left(search), sum.lost_ns);
	double threshold_ns = (double)search->running_ns * finding_rule_row(rule)->percent / 100;
	if (lost.ns == 0 || (double)lost.ns < threshold_ns)
		return;
	char *where = memory_format("%s of the time waits", findings_share_of_time(search, lost.ns).text);
	char *because = utf8_cleaned(memory_format("method %s", search->recording->info.method));
	struct finding *finding = findings_add(search, rule, &sum, where, because);
	findings_set_estimate(search, finding, &lost);
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (part_of_others(search, i) < 1)
			findings_claim_rest(search, i);
}

void findings_one_at_a_time(struct findings_search *search)
{
	find(search, FINDING_ONE_AT_A_TIME);
}

void findings_one_lock(struct findings_search *search)
{
	find(search, FINDING_ONE_LOCK);
}
