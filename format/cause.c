/* SPDX-License-Identifier: MIT
 * Returns the names of causes and grades, from the table causes.def, which also defines their numbers. */
#include <stmlog/read.h>

static const char *const reasons[] = {
#define STMLOG_REASON(id, name, doc) name,
#include <stmlog/causes.def>
#undef STMLOG_REASON
};

static const char *const contentions[] = {
#define STMLOG_CONTENTION(id, name, doc) name,
#include <stmlog/causes.def>
#undef STMLOG_CONTENTION
};

static const char *const grades[] = {"unknown", "candidate", "certain"};

const char *stmlog_reason_name(unsigned reason)
{
	return reason < STMLOG_REASONS ? reasons[reason] : "?";
}

const char *stmlog_contention_name(unsigned contention)
{
	return contention < STMLOG_CONTENTIONS ? contentions[contention] : "?";
}

const char *stmlog_grade_name(unsigned grade)
{
	return grade < STMLOG_GRADES ? grades[grade] : "?";
}
