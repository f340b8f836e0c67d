/* SPDX-License-Identifier: MIT
 * A unit of debug information. */
#ifndef UNIT_H
#define UNIT_H

#include <dwarf.h>
#include <stddef.h>

#include <elfutils/libdw.h>

/* The unit itself, or the split unit in another file for which it is a skeleton. */
static inline Dwarf_Die unit_whole(const Dwarf_Die *die)
{
	Dwarf_Die whole;
	uint8_t type;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
		dwarf_tag(&whole) != DW_TAG_invalid)
		return whole;
	return *die;
}

#endif
