/* SPDX-License-Identifier: MIT
 *
 * The two sides of a loss. A runtime passes origins, which are looked up here; an agent passes frames of the thread's
 * stack, which are used as they are.
 */
#ifndef STMLOG_SIDES_H
#define STMLOG_SIDES_H

#include "loss.h"

/* A loss with the tracebacks of both sides. Owns references to loss.local and loss.remote. */
struct sides {
	struct stmlog_loss loss;
	struct lost_to to;
};

/* Whether nothing has to be looked up. */
static inline bool sides_are_known(const struct stmlog_loss *loss)
{
	return loss != NULL && loss->local != NULL && loss->remote != NULL && loss->size == sizeof *loss;
}

/* Whether the loss says how large it is: at least its size and its cause. If not, that is a mistake of the caller's. */
static inline bool sides_have_size(const struct stmlog_loss *loss)
{
	return loss->size >= offsetof(struct stmlog_loss, own);
}

/* Looks up the sides of `given`, which may have been compiled with other headers; NULL, or a loss without a size: the
 * cause is not known. `caller`: the hook's return address, which is this side's place if the runtime gives no other,
 * and the shadow stack is empty; NULL: not known. Counts tracebacks that cannot be found. Requires: within a hook;
 * sides_release() follows. */
void sides_find(struct stmlog_thread *thread, const struct stmlog_loss *given, const void *caller, struct sides *sides);
void sides_release(struct stmlog_thread *thread, struct sides *sides);

#endif
