/* SPDX-License-Identifier: MIT
 * Hooks of sigaction(), signal(), unshare() and setns(): by these a program would notice the library's signal handlers
 * and its thread. */
#ifndef ITM_UNNOTICED_H
#define ITM_UNNOTICED_H

#include <stmlog/stmlog.h>

/* Looks up the real functions. Returns the real sigaction(). */
stmlog_sigaction_function itm_unnoticed_prepare(void);

#endif
