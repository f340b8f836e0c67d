/* SPDX-License-Identifier: MIT
 *
 * What all hooks that report a loss do: read the clock, move the account, record.
 */
#ifndef STMLOG_LOSE_H
#define STMLOG_LOSE_H

#include "thread.h"

/* Ends the attempt under way: the event's times and thread are filled in. */
void lose_attempt(struct stmlog_thread *thread, struct event *event);

/* Interrupts the thread by a pause or wait. `remote_copy` stands for loss->remote, if not NULL, and has to stay
 * as it is until the interruption ends. */
void lose_interrupt(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct tb_copy *remote_copy,
	enum account_slot state);

/* Ends the interruption; records it if it is one that makes an entry. */
void lose_resume(struct stmlog_thread *thread, bool makes_entry);

/* A pause or wait that is over already, `ns` long; records it if it is one that makes an entry. */
void lose_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns, enum account_slot state,
	bool makes_entry);

#endif
