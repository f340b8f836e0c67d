/* SPDX-License-Identifier: MIT
 * Tells commit.c by which dispatch objects it recognises plain transactions. */
#include "plain.h"

#include "libitm_layout.h"
#include "requires.h"
#include "ring.h"

/* In a cache line of its own: every commit loads it. */
struct itm_plain itm_plain __attribute__((aligned(64)));

/* Constant after itm_plain_prepare(). */
static AO_t plain, none;

void itm_plain_prepare(void)
{
	const void *odd = (const void *)1; /* dispatch objects have even addresses */
	none = itm_scramble(odd);
	plain = itm_locks.dispatch != NULL ? itm_scramble(itm_locks.dispatch) : none;
	AO_store(&itm_plain.solo, none);
	itm_plain_resume();
}

void itm_plain_pause(void)
{
	AO_store(&itm_plain.dispatch, none);
}

void itm_plain_resume(void)
{
	AO_store(&itm_plain.dispatch, plain);
}

/* The fence is the partner of that in itm_plain_joined(): of this thread's store and look, and the other's ring and
 * store, one comes first. So the word does not stay once there are two rings. */
void itm_plain_solo(void)
{
	REQUIRES(none != 0);
	if (plain == none || itm_rings_are_several())
		return;
	AO_store(&itm_plain.solo, itm_dispatch_scrambled());
	AO_nop_full();
	if (itm_rings_are_several())
		AO_store(&itm_plain.solo, none);
}

void itm_plain_joined(void)
{
	AO_nop_full();
	if (itm_rings_are_several())
		AO_store(&itm_plain.solo, none);
}
