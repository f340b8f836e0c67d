/* SPDX-License-Identifier: MIT
 *
 * The most frequent objects of an entry's losses, in constant space (Misra and Gries, "Finding repeated elements",
 * 1982). An object is a pair: this transaction's object and the other's. There are k = STMLOG_OBJECTS slots. An object
 * of more than 1/(k+1) of the losses is always in a slot, and its count is too low by at most 1/(k+1) of the losses.
 * Slots are in order, most frequent first, unused ones (address 0) last. An object whose count has fallen to 0 stays in
 * its slot until another one needs it: as an example where the losses had very many objects.
 */
#ifndef STMLOG_OBJECTS_H
#define STMLOG_OBJECTS_H

#include <stmlog/read.h>

/* Adds one occurrence of the pair. Does nothing if the address is 0. */
void objects_add(struct stmlog_entry *entry, uintptr_t address, uintptr_t other);

/* Adds the objects of another entry. */
void objects_merge(struct stmlog_entry *entry, const struct stmlog_entry *other);

#endif
