/* SPDX-License-Identifier: MIT
 *
 * Checks what a function requires of its callers inside a runtime, in builds with STMLOG_CHECKS (DEBUG=1, SAN=...,
 * RACE=1): a broken requirement ends the process with a line that names it. In all other builds nothing is evaluated.
 * Runtimes see the public headers only, and link the library's archive, which hides its own checks (base/check.h).
 */
#ifndef NATIVE_REQUIRES_H
#define NATIVE_REQUIRES_H

#ifdef STMLOG_CHECKS
#include <assert.h>
#define REQUIRES(condition) assert(condition)
#else
#define REQUIRES(condition) ((void)0)
#endif

#endif
