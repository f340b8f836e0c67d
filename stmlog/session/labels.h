/* SPDX-License-Identifier: MIT
 *
 * The labels that the program has given to pieces of its memory (label.h), and the losses over labelled data, for the
 * file's section LABELS.
 *
 * Equal texts are one label. A loss is added to the label that the data have at that time, since an entry keeps only a
 * few of its objects. Labels and pieces belong to the process, and are never freed.
 */
#ifndef STMLOG_LABELS_H
#define STMLOG_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "buffer.h"

#define LABELS_MAX 65536u /* texts, and pieces of memory */

extern volatile AO_t labels_table; /* private */

/* False as long as the program has given none. */
static inline bool labels_are_there(void)
{
	return AO_load(&labels_table) != 0;
}

/* Adds a loss of `ns` to the label of its object. `extra`: for how many other losses it stands. Any thread; does not
 * wait: while another thread changes labels, it may count as lost. Requires labels_are_there(). */
void labels_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra);

/* The label that the data have, or had, if no loss came after it was removed. NULL: none. Any thread; does not wait. */
const char *labels_text(uintptr_t object);

/* Appends the records of the section. Waits for threads that change labels. */
void labels_copy(struct buffer *records);

/* How many labels found no room, and how many losses came while labels were being changed. */
uint64_t labels_lost(void);

/* Forgets all losses. Called when a session opens, and in a forked child. */
void labels_forget_losses(void);

#endif
