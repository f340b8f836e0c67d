/* SPDX-License-Identifier: MIT
 * Beginnings, of the process and of its threads. Their ends come by themselves. */
#ifndef ITM_LIFE_H
#define ITM_LIFE_H

#include <stdbool.h>

/* Makes the agent ready, once per process. */
void itm_ready(void);

/* Attaches the calling thread; false: it is not recorded. */
bool itm_attach(void);

#endif
