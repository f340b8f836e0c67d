/* SPDX-License-Identifier: MIT
 * Tells how many processors the process may use. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include <stddef.h>

/* How many processors the process's first thread may run on. They are fewer than those of the machine under taskset, in
 * a cpuset, and after that thread was bound to some. 0: not known. Keeps errno. */
size_t processors_usable(void);

#endif
