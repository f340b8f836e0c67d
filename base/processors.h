/* SPDX-License-Identifier: MIT */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include <stddef.h>

/* How many processors the kernel lets the process's first thread run on: fewer than the machine has under taskset, in
 * a cpuset, and once that thread was bound. 0: not known. Keeps errno. */
size_t processors_usable(void);

#endif
