/* SPDX-License-Identifier: MIT
 * A unit of debug information. */
#ifndef UNIT_H
#define UNIT_H

#include <elfutils/libdw.h>

/* The unit itself, or the split unit in another file for which it is a skeleton. */
Dwarf_Die unit_whole(const Dwarf_Die *die);

#endif
