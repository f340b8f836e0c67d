/* SPDX-License-Identifier: MIT
 *
 * Mistaken calls of public functions, such as a commit without a start. They must not
 * end the program that is profiled: the call changes nothing and is counted, and the
 * first one is reported on stderr. Any thread; async-signal-safe; errno is kept.
 */
#ifndef BASE_MISUSE_H
#define BASE_MISUSE_H

#include <stddef.h>

/* Counts a mistake. `what` is for stderr, without a full stop: "tb_pop of an empty stack". */
void misuse_count(const char *what);

/* How many mistakes were counted in this process. */
size_t misuse_total(void);

#endif
