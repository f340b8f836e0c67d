/* SPDX-License-Identifier: MIT
 *
 * The loaded modules (the program and its shared libraries): the module of an address, and whether an address can be
 * read.
 */
#ifndef NATIVE_LOADED_H
#define NATIVE_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NATIVE_BUILD_ID_MAX 32

/* A module: its addresses and its build-id. start == end: no module. */
struct native_module {
	uintptr_t start;
	uintptr_t end;
	uintptr_t data; /* its writable part; of several, the last one */
	size_t data_size;
	size_t data_parts;
	size_t build_id_len;
	uint8_t build_id[NATIVE_BUILD_ID_MAX];
};

/* The module that has `address` in one of its segments; if there is none, start == end. */
struct native_module native_module_find(const void *address);

static inline bool native_module_has(const struct native_module *module, uintptr_t address)
{
	return address - module->start < module->end - module->start;
}

/* True if the `len` bytes from `address` on are in one readable segment of a module. Slow. */
bool native_module_is_readable(uintptr_t address, size_t len);

/* Likewise for a segment that is readable and writable. Data that the loader has made read-only after relocation count
 * as writable. */
bool native_module_is_writable(uintptr_t address, size_t len);

#endif
