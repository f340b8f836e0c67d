/* SPDX-License-Identifier: MIT
 * Findings: what several entries of a recording have in common, found by the rules of findings.def. A finding is made
 * only if the recording supports it: each rule has a threshold, a part of the losses, and no rule judges by fewer
 * measured losses than an interval needs. No loss belongs to two findings: a loss that a hot word explains is not
 * counted again as the conflict of a place with itself. So all findings together do not exceed the time lost. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "estimate.h"
#include "report.h"

enum finding_rule {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) FINDING_##id,
#include "findings.def"
	FINDING_RULES
};

/* The whole of which a threshold is a part. Measured aborts exclude those that the program has asked for.
 *   LOST      all lost time; the finding must also have 2 % of the threads' time
 *   OBJECTS   the measured aborts of entries whose data are known, where these are a tenth of all aborts or more
 *   CULPRITS  the measured aborts over data because of a known transaction, likewise
 *             In both cases the finding must also have 2 % of the threads' time, including the consequences of its
 *             losses, and its part of the time of aborts that were timed and not measured.
 *   WAKES     the waits of transactions after a retry; how much time was lost does not count
 *   TIME      the time that all threads had on processors
 *   BELOW     likewise; the finding is made below it */
enum finding_of {
	FINDING_OF_LOST,
	FINDING_OF_OBJECTS,
	FINDING_OF_CULPRITS,
	FINDING_OF_WAKES,
	FINDING_OF_TIME,
	FINDING_OF_BELOW,
	FINDING_OFS
};

struct finding_rule_row {
	const char *name, *title;
	enum finding_of basis;
	unsigned percent;
	const char *advice;
};
/* Requires: rule < FINDING_RULES. */
const struct finding_rule_row *finding_rule_row(enum finding_rule rule);

enum { FINDING_OBJECTS = 4 };

/* The texts are one line each, without characters that act on a terminal. */
struct finding {
	enum finding_rule rule;
	bool is_cheap;            /* has less than 2 % of the threads' time; kept only in an uncertain recording */
	uint64_t count;           /* how many measured losses it rests on */
	struct estimate lost;     /* at most all lost time */
	uint64_t saves_at_max_ns; /* how much shorter the run could be */
	uint32_t where, because;  /* tracebacks; 0: none. Of the losses, or of the code to change; the other side */
	const struct symbol_frame *call; /* of `where`: the call that made it irrevocable; borrowed; NULL: not known */
	char *objects[FINDING_OBJECTS];  /* NULL: none */
	uint64_t words[FINDING_OBJECTS]; /* their addresses; 0: not known, or there are many */
	const char *advice; /* what to try: the rule's advice, or another if the recording contradicts that */
	/* For people: the place or the data to change; the reason ("": none); the part of aborts ("": the rule does not
	 * count them); the part that are consequences of its own losses ("94 % by starvation"; "": none); and all of
	 * this in one line. */
	char *where_text, *because_text, *share_text, *via_text, *text;
};

/* The order of findings: LITTLE_LOST is first, then the costliest, and of equal ones the earlier rule. Last stand
 * PRIVATIZATION and cheap findings. */
struct findings {
	struct finding *at;
	size_t len;
};

/* A recording without times has no findings. The caller calls findings_fini(). */
struct findings findings_of(const struct report *report);
void findings_fini(struct findings *findings);

/* Whether no place of the findings has a source line because their modules have no line information. If no
 * finding has a place, whether that holds of the costliest entries. */
bool findings_lack_lines(const struct findings *findings, const struct report *report);

/* Frees the texts of a finding. */
void finding_fini(struct finding *finding);

#endif
