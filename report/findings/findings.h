/* SPDX-License-Identifier: MIT
 * Findings: what several entries of a recording have in common, found by the rules of findings.def. A finding is made
 * only if the recording supports it: each rule says from which part of the losses on, and no rule judges by fewer
 * measured losses than an interval needs. No loss is part of two findings: what has a hot word is not told again as the
 * conflict of a place with itself. So all findings together do not exceed what was lost. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "estimate.h"
#include "report.h"

enum finding_rule {
#define FINDING(id, name, title, of, percent, advice, meaning, figures, mending) FINDING_##id,
#include "findings.def"
	FINDING_RULES
};

/* What a threshold is a part of. Of measured aborts those that the program has asked for are left out.
 *   LOST      all lost time; the finding has 2 % of the threads' time, too
 *   OBJECTS   the measured aborts of entries whose data are known, where these are a tenth of all aborts or more
 *   CULPRITS  the measured aborts over data because of a known transaction, likewise
 *             In both cases the finding has 2 % of the threads' time, too, with what follows from its losses, and with
 *             its part of the time of aborts that were timed and not measured.
 *   HARDWARE  the measured aborts of hardware transactions
 *   WAKES     the waits of transactions after a retry; how much time was lost does not count
 *   TIME      the time of all threads
 *   BELOW     likewise; the finding is made below it */
enum finding_of {
	FINDING_OF_LOST,
	FINDING_OF_OBJECTS,
	FINDING_OF_CULPRITS,
	FINDING_OF_HARDWARE,
	FINDING_OF_WAKES,
	FINDING_OF_TIME,
	FINDING_OF_BELOW,
	FINDING_OFS
};

struct finding_rule_row {
	const char *name, *title;
	enum finding_of of;
	unsigned percent;
	const char *advice;
};
const struct finding_rule_row *finding_rule_row(enum finding_rule rule);

enum { FINDING_OBJECTS = 2 };

/* How the commits per second would change, as a multiple, with an interval (STMLOG_SECTION_GAINS). */
struct finding_gain {
	double ratio, low, high; /* 0: not known */
};

/* From this ratio on a change is worth it. */
#define FINDING_GAIN_MIN 1.1

/* The texts are one line each, without characters that act on a terminal. */
struct finding {
	enum finding_rule rule;
	bool is_cheap;        /* has less than 2 % of the threads' time: what an uncertain recording has of conflicts */
	uint64_t count;       /* how many measured losses it rests on */
	struct estimate lost; /* no more than all that was lost */
	uint64_t saves_at_max_ns; /* how much shorter the run could be */
	struct finding_gain gain; /* without its cause; of METHOD_BOUND, with the method that is advised */
	uint32_t where, because; /* tracebacks: where time was lost, or what is to be mended; the other side. 0: none */
	const struct symbol_frame *call; /* of `where`: what made it irrevocable; borrowed; NULL: not known */
	char *objects[FINDING_OBJECTS];  /* NULL: none */
	uint64_t words[FINDING_OBJECTS]; /* their addresses; 0: not known, or there are many */
	const char *advice; /* what to try: the rule's, or another where the recording speaks against that */
	/* For people: the place or the data to mend, the reason beside it ("": none), the part of aborts ("": the rule
	 * counts none), what follows from its own losses ("94 % by starvation"; "": nothing), and all of it. */
	char *where_text, *because_text, *share_text, *via_text, *text;
};

/* LITTLE_LOST is the first where it holds. Without known gains the costliest stand first; of equal ones in the order of
 * the rules. With them, the findings that gain stand first, the largest gain before the others. METHOD_BOUND stands
 * behind each of these whose interval reaches its own. Findings that may gain nothing stand last. */
struct findings {
	struct finding *at;
	size_t len;
};

/* None of a passive recording. Call findings_fini(). */
struct findings findings_of(const struct report *report);
void findings_fini(struct findings *findings);

/* How many findings of the same rule stand before this one. */
uint32_t finding_number(const struct findings *findings, size_t index);

/* Whether no place of the findings has a line, since their modules have none. */
bool findings_lack_lines(const struct findings *findings, const struct report *report);

/* Whether a change gains a tenth or more, with an interval above nothing; and whether it is known that it may not. */
bool finding_gains(const struct finding *finding);
bool finding_may_gain_nothing(const struct finding *finding);

/* "+45 % commits/s (30 to 60)", "13.3 times the commits/s (12.0 to 16.4)"; "" if it is not known. Owned. */
char *finding_gain_text(const struct finding *finding);

/* Frees the texts of a finding. */
void finding_fini(struct finding *finding);

#endif
