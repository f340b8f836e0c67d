/* SPDX-License-Identifier: MIT
 * The beginning of the process and of its threads, for the agent. Their ends are noticed by destructors. */
#ifndef ITM_LIFE_H
#define ITM_LIFE_H

#include <stdbool.h>

/* Makes the agent ready, once for the process. */
void itm_ready(void);

/* Attaches the calling thread to the library, and creates what the agent keeps for it. False: it is not recorded. */
bool itm_attach(void);

#endif
