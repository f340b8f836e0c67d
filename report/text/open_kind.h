/* SPDX-License-Identifier: MIT
 * Names of the kinds of transactions and waits that are under way when a snapshot is taken. */
#ifndef OPEN_KIND_H
#define OPEN_KIND_H

#include <stddef.h>

#include <stmlog/agent.h>

/* The name of a kind; NULL for a number that this version does not know. */
static inline const char *open_kind_name(uint32_t kind)
{
	static const char *const names[] = {[STMLOG_OPEN_TRANSACTION] = "transaction",
		[STMLOG_OPEN_COMMIT] = "commit",
		[STMLOG_OPEN_PAUSE] = "pause",
		[STMLOG_OPEN_WAIT] = "wait"};
	return kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

#endif
