/* SPDX-License-Identifier: MIT
 *
 * A bank in an STM: clerks at several desks move money between a few accounts, and audit all of them. At each desk one
 * clerk follows another, and each clerk is a thread. */
#ifndef TESTS_BANK_H
#define TESTS_BANK_H

#include "stm_session.h"

struct bank_setup {
	unsigned desks, clerks, operations; /* clerks at each desk, operations of each clerk */
	unsigned every_audit;               /* one in so many operations is an audit, the others move money */
	/* One in 20 transfers calls this first, and is not aborted from then on; NULL: none does. */
	void (*become_inevitable)(struct stm_thread *thread);
};

/* Fails the test unless all audits, also in attempts that abort, find the same sum, each clerk's account has one commit
 * for each operation, and no inevitable transaction is aborted. The setup has 8 desks at the most. */
void bank_test(const struct bank_setup *setup);

#endif
