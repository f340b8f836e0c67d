/* SPDX-License-Identifier: MIT
 *
 * The few most frequent of a stream of objects (pairs: this one's, the other's), in constant space: Misra and
 * Gries, "Finding repeated elements" (1982). With STMLOG_OBJECTS = k slots, an
 * object that makes up more than 1/(k+1) of the stream is always among them, and
 * each count is too low by at most that share. The slots are kept in order, most
 * frequent first, unused ones (address 0) last.
 */
#ifndef STMLOG_OBJECTS_H
#define STMLOG_OBJECTS_H

#include <stmlog/stmlog.h>

/* Adds one occurrence of the pair, and of none if the address is 0. */
void objects_add(struct stmlog_entry *entry, uintptr_t address, uintptr_t other);

/* Adds what another entry saw. */
void objects_merge(struct stmlog_entry *entry, const struct stmlog_entry *other);

#endif
