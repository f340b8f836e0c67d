/* SPDX-License-Identifier: MIT
 * Merges the section INFO of several recordings, by the rules of info.def. */
#ifndef MERGE_INFO_H
#define MERGE_INFO_H

#include <stdio.h>

#include "recorded_account.h"
#include "recording.h"

/* Invariant: texts and lists are copies of its own. */
struct merge_info {
	bool is_one_run; /* of several processes, whose times are on one clock */
	bool is_begun;
	struct recording_info sum; /* without lists; began_ns and unix_ns of the run that began first */
	double variance_ns2;       /* of all that was lost */
	struct recorded_account account;
	bool has_args; /* all have the same ones */
	struct recording_list args, options;
};

/* Why the recording cannot be merged with those before it: another program, runtime, clock or way of measuring, or
 * sums above 2^64. NULL: it can. */
const char *merge_info_mismatch(const struct merge_info *info, const struct recording *recording);
void merge_info_add(struct merge_info *info, const struct recording *recording);

/* Returns the section; the caller frees it. */
char *merge_info_text(const struct merge_info *info, size_t *len);
void merge_info_fini(struct merge_info *info);

/* merge_time() puts a time on the scale of the time of day, which all runs share; merge_time_back() puts it on the
 * clock of the run that began first. Both are modulo 2^64, so that a wrong time of a recording is restored as it was.
 * In one run they change nothing. */
static inline uint64_t merge_time(const struct merge_info *info, const struct recording *recording, uint64_t ns)
{
	return info->is_one_run ? ns : ns - recording->info.began_ns + recording->info.unix_ns;
}

static inline uint64_t merge_time_back(const struct merge_info *info, uint64_t ns)
{
	return info->is_one_run ? ns : ns - info->sum.unix_ns + info->sum.began_ns;
}

static inline bool merge_is_earlier(uint64_t ns, uint64_t other_ns)
{
	return (int64_t)(ns - other_ns) < 0;
}

#endif
