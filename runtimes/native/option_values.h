/* SPDX-License-Identifier: MIT
 *
 * Values of STMLOG_OPTIONS that several runtimes read in the same way.
 */
#ifndef NATIVE_OPTION_VALUES_H
#define NATIVE_OPTION_VALUES_H

#include <stdint.h>

#define NATIVE_SAMPLE_AUTO 0

/* The value of `text` if it is a whole number from 1 to `max`; otherwise 0. */
uint32_t native_number(const char *text, uint32_t max);

/* The option `sample`: one transaction in so many is measured; or NATIVE_SAMPLE_AUTO, the default. For a timeline the
 * default is 1. Warns of a value that is neither. The library knows the option once it is open. */
uint32_t native_sample(void);

#endif
