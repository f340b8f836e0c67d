/* SPDX-License-Identifier: MIT */
#include "cause.h"

#include <stddef.h>

#include <stmlog/stmlog.h>

static const char *name_in(const char *const *names, size_t len, uint32_t number)
{
	return number < len ? names[number] : "?";
}

const char *cause_reason_name(uint32_t reason)
{
	static const char *const names[] = {
#define STMLOG_REASON(id, name, doc) name,
#include <stmlog/causes.def>
#undef STMLOG_REASON
	};
	return name_in(names, sizeof names / sizeof names[0], reason);
}

const char *cause_contention_name(uint32_t contention)
{
	static const char *const names[] = {
#define STMLOG_CONTENTION(id, name, doc) name,
#include <stmlog/causes.def>
#undef STMLOG_CONTENTION
	};
	return name_in(names, sizeof names / sizeof names[0], contention);
}

const char *cause_grade_name(uint32_t grade)
{
	static const char *const names[STMLOG_GRADES] = {"unknown", "candidate", "certain"};
	return name_in(names, STMLOG_GRADES, grade);
}

bool cause_is_abort(uint32_t reason)
{
	return reason == STMLOG_SELF_ABORT || reason == STMLOG_ABORTED_BY_OTHER || reason == STMLOG_USER_ABORT;
}
