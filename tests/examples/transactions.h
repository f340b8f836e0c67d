/* SPDX-License-Identifier: MIT
 *
 * An account, and what transactions do with it. */
#ifndef TESTS_TRANSACTIONS_H
#define TESTS_TRANSACTIONS_H

#include "stm_session.h"

struct account {
	struct stm_object *object; /* of one word: the money */
	unsigned attempts;         /* to add to it */
	uint64_t seen;             /* the money that was read last */
};

/* Transactions, whose argument is the account. */
void add_one(struct stm_thread *thread, void *account);
void read_it(struct stm_thread *thread, void *account);

/* Read in a transaction. */
uint64_t value_of(struct account *account);

#endif
