/* SPDX-License-Identifier: MIT
 * Reading memory that may not be mapped, and finding libitm's data. */
#ifndef ITM_CALIBRATE_PROBE_H
#define ITM_CALIBRATE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory by way of the kernel; false: not all of it can be read. probe_open() comes first; false: it failed. */
bool probe_open(void);
bool probe_read(void *unused, uintptr_t address, void *to, size_t size);

/* The writable data of the module that has `code`. size 0: the module has none, or more than one piece. */
struct probe_data {
	uintptr_t start;
	size_t size;
};
struct probe_data probe_data_of(const void *code);

#endif
