/* SPDX-License-Identifier: MIT
 *
 * Caller's mistakes inside somebody else's process: refused, counted, and told
 * once on stderr, never fatal. Any thread; async-signal-safe; errno is kept.
 */
#ifndef BASE_MISUSE_H
#define BASE_MISUSE_H

#include <stddef.h>

/* `what` is a whole sentence without the full stop: "tb_pop of an empty stack". */
void misuse_count(const char *what);

size_t misuse_total(void);

#endif
