/* SPDX-License-Identifier: MIT
 * The labels that the program has given to TVars (labelTVar in haskell/StmlogNames.hs). */
#ifndef GHC_LABELS_H
#define GHC_LABELS_H

#include <stdbool.h>
#include <stdint.h>

/* So many TVars that live have a label; further labels are dropped. */
#define LABELS_MAX 1024
/* Of longer labels the rest is cut off. The NUL is one of the bytes. */
#define LABEL_BYTES 48

/* Labels the TVar, which may have a label. Any thread that holds a capability. */
void labels_set(uintptr_t tvar, const char *label);

/* Copies the TVar's label. Returns false, and sets "", if it has none. Any thread that holds a capability. */
bool labels_find(uintptr_t tvar, char label[LABEL_BYTES]);

/* As objects_visit(), for the TVars with labels. */
void labels_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg);

/* In a forked child. */
void labels_after_fork(void);

#endif
