/* SPDX-License-Identifier: MIT
 * Writes numbers as text where stdio may not be used: in signal handlers, and in somebody else's process. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_SIZE 21 /* bytes of the largest number, terminated */

/* Writes the decimal digits and a NUL at the end of `text`. Returns the first digit. */
static inline const char *decimal_text(char text[DECIMAL_SIZE], uint64_t number)
{
	size_t at = DECIMAL_SIZE - 1;
	text[at] = '\0';
	do
		text[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	return text + at;
}

#endif
