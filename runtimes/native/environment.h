/* SPDX-License-Identifier: MIT
 *
 * What a runtime reads from its environment, and what it leaves there: values of STMLOG_OPTIONS that several runtimes
 * read in the same way, the number of the next process image, and warnings on standard error.
 */
#ifndef NATIVE_ENVIRONMENT_H
#define NATIVE_ENVIRONMENT_H

#include <stdint.h>

/* ---- values of options ---- */

#define NATIVE_SAMPLE_AUTO 0

/* The value of `text` if it is a whole number from 1 to `max`; otherwise 0. */
uint32_t native_number(const char *text, uint32_t max);

/* The option `sample`: one transaction in so many is measured; or NATIVE_SAMPLE_AUTO, the default. For a timeline the
 * default is 1. Warns of a value that is neither. The library knows the option once it is open. */
uint32_t native_sample(void);

/* ---- the number of the process image ----
 *
 * After exec a process has the same pid, but another image. The library appends this number to the names of its
 * outputs.
 */

/* A copy of the environment with the number of the next image; without memory, `from` itself. It is never freed: if
 * exec succeeds it is gone anyway, and if exec fails it may be in use. */
char **native_next_generation(char *const *from);

/* ---- warnings ----
 *
 * Lines on standard error that begin with "stmlog: ". They are written by write(), because stdio may not be ready when
 * a runtime begins. An error is ignored: it could be reported nowhere.
 */

/* "stmlog: TEXT" */
void native_warn(const char *text);

/* "stmlog: TEXTREMEDY" */
void native_warn_with(const char *text, const char *remedy);

/* "stmlog: STMLOG_OPTIONS: KEY=VALUE is not EXPECTED; using the default" */
void native_warn_of_option(const char *key, const char *value, const char *expected);

#endif
