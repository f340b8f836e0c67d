/* SPDX-License-Identifier: MIT
 * What findings_of() returns for a recording in memory, `made`. */
#ifndef FOUND_H
#define FOUND_H

#include "findings.h"
#include "made_recording.h"
#include "report_memory.h"
#include "test.h"

static struct made made;

/* Copies of what findings_fini() frees. */
enum { TEXT = 300 };
static struct copied {
	struct finding finding;
	char where[TEXT], because[TEXT], share[TEXT], text[TEXT], object[TEXT], other[TEXT];
} found[MADE_MAX];
static size_t found_len;

static inline void copy(char to[TEXT], const char *text)
{
	strncpy(to, text != NULL ? text : "", TEXT - 1);
}

static inline void find(void)
{
	struct report report = {.recording = &made.recording, .symbols = symbols_create(&made.recording)};
	struct findings findings = findings_of(&report);
	memset(found, 0, sizeof found);
	found_len = findings.len;
	assert_in_range(found_len, 0, MADE_MAX);
	for (size_t i = 0; i < found_len; i++) {
		found[i].finding = findings.at[i];
		copy(found[i].where, findings.at[i].where_text);
		copy(found[i].because, findings.at[i].because_text);
		copy(found[i].share, findings.at[i].share_text);
		copy(found[i].text, findings.at[i].text);
		copy(found[i].object, findings.at[i].objects[0]);
		copy(found[i].other, findings.at[i].objects[1]);
	}
	findings_fini(&findings);
	symbols_destroy(&report.symbols);
}

/* NULL: the rule has found nothing. */
static inline const struct copied *finding_of(enum finding_rule rule)
{
	made_end(&made);
	find();
	for (size_t i = 0; i < found_len; i++)
		if (found[i].finding.rule == rule)
			return &found[i];
	return NULL;
}

static inline void assert_found(enum finding_rule rule, uint64_t count, uint64_t lost_ns)
{
	const struct copied *copied = finding_of(rule);
	assert_non_null(copied);
	assert_int_equal(copied->finding.count, count);
	assert_int_equal(copied->finding.lost.ns, lost_ns);
}

/* How many causes are named. */
static inline size_t causes(void)
{
	return found_len - (found_len > 0 && found[0].finding.rule == FINDING_LITTLE_LOST);
}

#endif
