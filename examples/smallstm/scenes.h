/* SPDX-License-Identifier: MIT
 *
 * Scenes: each makes one of stmlog's causes happen between two threads, in a fixed order. The first thread gets in the
 * way, the second thread conflicts with it. Both every_cause.c and the tests play these scenes.
 */
#ifndef SMALLSTM_SCENES_H
#define SMALLSTM_SCENES_H

#include <stmlog/stmlog.h>

#include "smallstm.h"

enum role { FIRST, SECOND };

/* What the entry is expected to show on one side. */
enum side {
	NOTHING, /* no frames: there is no other side */
	UNKNOWN,
	FIRST_DID, /* the line by which the first thread got in the way */
	SECOND_DID /* the line at which the second thread met the conflict */
};

struct scene {
	const char *name;
	struct stm_setup setup;
	stm_body *first;  /* NULL: there is only one thread */
	stm_body *second; /* NULL: it destroys an object, without a transaction */
	enum role loser;
	bool has_wait; /* the second thread waits until the first one has gone on; the loss is that wait */
	bool is_entry; /* the loss makes an entry; otherwise it shows only in the account */
	struct stmlog_cause cause;
	enum side local, remote;
	bool is_false; /* the two threads touch different words of the object */
};

extern const struct scene scenes[];
extern const size_t scenes_len;

/* How a scene is played. The callbacks may be NULL. */
struct stage {
	void (*dwell)(void);           /* lets some time pass, which will be lost */
	void (*begin)(enum role role); /* is called on each thread when it has begun */
	void (*end)(enum role role);   /* is called on each thread before it ends */
	unsigned line[2];              /* out: the line of each role's access */
};

void scene_play(const struct scene *scene, struct stage *stage);

#endif
