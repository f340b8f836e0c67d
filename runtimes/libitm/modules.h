/* SPDX-License-Identifier: MIT
 *
 * Which loaded object an address belongs to, and whether an address can be read.
 */
#ifndef ITM_MODULES_H
#define ITM_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITM_BUILD_ID_MAX 32

/* start == end: no module. */
struct itm_module {
	uintptr_t start;
	uintptr_t end;
	size_t build_id_len;
	uint8_t build_id[ITM_BUILD_ID_MAX];
};

/* The module that has `address` in one of its segments, or one without extent. */
struct itm_module itm_module_find(const void *address);

static inline bool itm_module_has(const struct itm_module *module, uintptr_t address)
{
	return address - module->start < module->end - module->start;
}

/* True if all `len` bytes from `address` on are in one readable segment of a module. Slow. */
bool itm_module_is_readable(uintptr_t address, size_t len);

#endif
