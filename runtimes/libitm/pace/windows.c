/* SPDX-License-Identifier: MIT
 * Decides when windows begin and end. */
#include "windows.h"

#include "requires.h"

#define FIRST_NS UINT64_C(5000000) /* after the first look */
#define MIN_NS UINT64_C(300000)    /* a window lasts so long, if only one of the threads has logged enough */

struct itm_windows itm_windows;

static struct {
	uint64_t number;    /* of the last window */
	uint64_t due_ns;    /* when the next one begins; 0: there was no look yet */
	uint64_t pause_ns;  /* from the beginning of the previous window to due_ns */
	uint64_t opened_ns; /* when the open one has begun */
} state;

bool itm_windows_is_due(uint64_t now_ns)
{
	if (state.due_ns == 0) {
		state.due_ns = now_ns + FIRST_NS;
		state.pause_ns = FIRST_NS;
	}
	return AO_load(&itm_windows.open) == 0 && now_ns >= state.due_ns;
}

bool itm_windows_is_over(uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - state.opened_ns;
	if (AO_load(&itm_windows.open) == 0)
		return false;
	return passed_ns > ITM_WINDOW_MAX_NS || (passed_ns > MIN_NS && AO_load(&itm_windows.logging) == 0);
}

bool itm_windows_delay_burst(uint64_t now_ns)
{
	bool is_wanted = AO_load(&itm_windows.open) != 0 && !itm_windows_is_over(now_ns);
	return is_wanted && now_ns - state.opened_ns < ITM_WINDOW_DELAY_MAX_NS;
}

void itm_windows_open(uint64_t now_ns)
{
	state.opened_ns = now_ns;
	AO_store(&itm_windows.logging, 0);
	AO_store_release(&itm_windows.open, (AO_t)++state.number);
}

void itm_windows_close(void)
{
	REQUIRES(AO_load(&itm_windows.open) != 0);
	AO_store(&itm_windows.open, 0);
	state.pause_ns *= 2;
	state.due_ns = state.opened_ns + state.pause_ns;
}

void itm_windows_forget(void)
{
	AO_store(&itm_windows.open, 0);
	AO_store(&itm_windows.logging, 0);
	state.number = state.due_ns = 0;
}
