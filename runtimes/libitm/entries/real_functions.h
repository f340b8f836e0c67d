/* SPDX-License-Identifier: MIT
 *
 * The real functions behind those that the agent stands in front of. Where they are found is
 * the one thing that depends on how the agent came into the process: real_functions.c for one that is
 * preloaded, linked/real_functions.c for one that was linked into the program.
 */
#ifndef ITM_REAL_FUNCTIONS_H
#define ITM_REAL_FUNCTIONS_H

/* The function of that name that comes after the agent's own; NULL: there is none. */
void *itm_real(const char *name);

/* The same of one of libitm's, which may not be in the program's scope. */
void *itm_real_of_libitm(const char *name);

#endif
