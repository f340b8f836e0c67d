/* SPDX-License-Identifier: MIT
 *
 * The real functions behind those that the agent interposes. Where they are found is the only thing that depends on how
 * the agent came into the process: real_functions.c for an agent that is preloaded, linked/real_functions.c for one
 * that is linked into the program.
 */
#ifndef ITM_REAL_FUNCTIONS_H
#define ITM_REAL_FUNCTIONS_H

#include <stdbool.h>

/* Whether the loader binds the program's calls to the agent: it is preloaded, and not linked. */
extern const bool itm_is_preloaded __attribute__((visibility("hidden")));

/* The function of that name that comes after the agent's own in the program's scope; NULL: there is none. */
void *itm_real(const char *name);

/* A function of libitm, which may be outside of the program's scope: a plugin may have loaded it. Loads libitm where
 * none is. NULL: there is none, or it has no such function. Not for a linked agent. */
void *itm_real_of_libitm(const char *name);

#endif
