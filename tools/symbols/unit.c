/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <dwarf.h>
#include <stddef.h>

Dwarf_Die unit_whole(const Dwarf_Die *die)
{
	Dwarf_Die whole;
	uint8_t type;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
		dwarf_tag(&whole) != DW_TAG_invalid)
		return whole;
	return *die;
}
