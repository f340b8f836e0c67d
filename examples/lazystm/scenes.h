/* SPDX-License-Identifier: MIT
 *
 * Scenes: each makes one of lazystm's causes of an abort happen between two threads, in a fixed order. One thread
 * writes a word and commits, or stops while it holds the word's lock. The other one, the victim, conflicts with it.
 * Both every_lazy_cause.c and the tests play these scenes.
 */
#ifndef LAZYSTM_SCENES_H
#define LAZYSTM_SCENES_H

#include <stmlog/stmlog.h>

#include "lazystm.h"

struct scene {
	const char *name;
	lazy_body *body; /* of the victim */
	bool has_writer; /* otherwise the victim is alone */
	bool is_held;    /* the writer stops while it holds the lock, until the victim has aborted */
	unsigned later;  /* so many further transactions of the writer commit before the victim meets the conflict */
	struct stmlog_cause cause;
	bool is_awaited; /* the victim sleeps until the writer has written */
};

extern const struct scene scenes[];
extern const size_t scenes_len;

/* How a scene is played. The callbacks may be NULL. */
struct stage {
	void (*dwell)(void); /* lets some time pass, which will be lost */
	void (*begin)(bool is_victim);
	void (*end)(bool is_victim);       /* on each thread, after it has begun and before it ends */
	unsigned victim_line, writer_line; /* out: the lines of the two accesses that conflict */
	unsigned attempts;                 /* out: of the victim */
};

void scene_play(const struct scene *scene, struct stage *stage);

#endif
