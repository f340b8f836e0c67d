/* SPDX-License-Identifier: MIT
 *
 * Each situation that stmlog has a name for, made to happen by two threads in an order that
 * leaves nothing to chance: the first gets in the way, the second runs into it. What a
 * program shows and what a test asserts are made by the same scenes.
 */
#ifndef SMALLSTM_SCENES_H
#define SMALLSTM_SCENES_H

#include <stmlog/stmlog.h>

#include "smallstm.h"

enum role { FIRST, SECOND };

/* What an entry is expected to show on one side. */
enum side {
	NOTHING, /* no frames: there is no other side */
	UNKNOWN,
	FIRST_DID, /* the line at which the first one did what got in the way */
	SECOND_DID /* the line at which the second one ran into it */
};

struct scene {
	const char *name;
	struct stm_setup setup;
	stm_body *first; /* NULL: there is only one thread */
	stm_body *second;
	enum role loser;
	bool stands_still; /* the second one waits until the first has gone; then it is that which costs time */
	bool is_entry;     /* it makes an entry, and does not only cost time */
	struct stmlog_cause cause;
	enum side local, remote;
};

extern const struct scene scenes[];
extern const size_t scenes_len;

/* How the scenes are played. The callbacks may be NULL. */
struct stage {
	void (*dwell)(void);           /* lets some time pass */
	void (*begin)(enum role role); /* on each thread, when it has begun, */
	void (*end)(enum role role);   /* and before it ends */
	unsigned line[2];              /* out: the line of each role's deed */
};

void scene_play(const struct scene *scene, struct stage *stage);

#endif
