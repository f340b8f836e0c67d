/* SPDX-License-Identifier: MIT
 * In the place of libitm's struct of the thread, with one counter for each reason of a restart. */
#ifndef FAKE_TRANSACTION_H
#define FAKE_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libitm_layout.h"

static struct {
	_Alignas(16) char before[16];
	uint32_t restarts[ITM_REASONS];
} fake_transaction;

/* From now on the calling thread's counters are those of fake_transaction; or it has none. */
static void set_fake_transaction(bool is_there)
{
	const void *address = is_there ? &fake_transaction : NULL;
	itm_layout_use(&(struct itm_layout){.counters = sizeof fake_transaction.before});
	memcpy((void *)(uintptr_t)itm_transaction_slot(), &address, sizeof address);
}

#endif
