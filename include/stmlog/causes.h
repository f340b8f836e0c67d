/* SPDX-License-Identifier: MIT
 *
 * The cause of a loss, as hooks get it and as timelogs show it. causes.def says what each name stands for:
 *   reasons       STMLOG_SELF_ABORT, STMLOG_ABORTED_BY_OTHER, STMLOG_USER_ABORT, STMLOG_PAUSE, STMLOG_WAIT
 *   contentions   STMLOG_WRITE_WRITE, STMLOG_WRITE_READ, STMLOG_DATA, STMLOG_INEVITABLE, STMLOG_NONE
 */
#ifndef STMLOG_CAUSES_H
#define STMLOG_CAUSES_H

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

enum stmlog_reason {
#define STMLOG_REASON(id, name, doc) STMLOG_##id,
#include <stmlog/causes.def>
#undef STMLOG_REASON
	STMLOG_REASONS,
	/* Of stmlog_wait_begin() only. Time of these kinds is no loss, and no timelog has them. */
	STMLOG_OTHER_WORK = STMLOG_REASONS, /* the runtime's own work, such as a back-off */
	STMLOG_BLOCKED                      /* after a retry, until something changes that the transaction has read */
};

enum stmlog_contention_kind {
#define STMLOG_CONTENTION(id, name, doc) STMLOG_##id,
#include <stmlog/causes.def>
#undef STMLOG_CONTENTION
	STMLOG_CONTENTIONS
};

struct stmlog_cause {
	enum stmlog_reason reason;
	enum stmlog_contention_kind contention;
	const char *detail; /* the runtime's own word, a string constant; NULL: none */
};

/* How sure it is that the loss is due to the reported culprit, the other transaction of the conflict. */
enum stmlog_grade { STMLOG_GRADE_UNKNOWN, STMLOG_GRADE_CANDIDATE, STMLOG_GRADE_CERTAIN, STMLOG_GRADES };

/* Whether two conflicting transactions did touch the same data. One lock may guard several objects: then transactions
 * that touch different objects conflict too, which is a false conflict. */
enum stmlog_overlap {
	STMLOG_OVERLAP_UNKNOWN,
	STMLOG_OVERLAP_SAME,   /* a true conflict */
	STMLOG_OVERLAP_STRIPE, /* neighbours in one unit of locking (a stripe, a cache line): false */
	STMLOG_OVERLAP_ALIAS   /* units far apart that share a lock: false */
};

/* The fixed names, "self-abort", "write-write", "certain" ...; "?" for any other number. */
STMLOG_API const char *stmlog_reason_name(unsigned reason);
STMLOG_API const char *stmlog_contention_name(unsigned contention);
STMLOG_API const char *stmlog_grade_name(unsigned grade);

STMLOG_END_DECLS

#endif
