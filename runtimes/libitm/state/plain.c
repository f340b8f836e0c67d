/* SPDX-License-Identifier: MIT
 * The dispatch object of plain transactions. */
#include "plain.h"

#include <stdbool.h>

#include "hardware_code.h"
#include "libitm_layout.h"

/* In a line of its own: every commit loads it. */
volatile AO_t itm_plain_dispatch __attribute__((aligned(64)));

/* Constant after itm_plain_prepare(). */
static AO_t plain, none;

void itm_plain_prepare(void)
{
	const void *odd = (const void *)1; /* dispatch objects have even addresses */
	bool is_known = itm_locks.dispatch != NULL && !itm_hardware_is_watched();
	none = itm_scramble(odd);
	plain = is_known ? itm_scramble(itm_locks.dispatch) : none;
	itm_plain_resume();
}

void itm_plain_pause(void)
{
	AO_store(&itm_plain_dispatch, none);
}

void itm_plain_resume(void)
{
	AO_store(&itm_plain_dispatch, plain);
}
