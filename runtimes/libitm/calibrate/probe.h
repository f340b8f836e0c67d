/* SPDX-License-Identifier: MIT
 * Memory that may not be there, and libitm's own. */
#ifndef ITM_CALIBRATE_PROBE_H
#define ITM_CALIBRATE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies by way of the kernel; false: not all of it can be read. */
bool probe_open(void);
bool probe_read(void *unused, uintptr_t address, void *to, size_t size);

/* The module's data that can be written, which is one piece. size 0: there is none, or more than one. */
struct probe_data {
	uintptr_t start;
	size_t size;
};
struct probe_data probe_data_of(const void *code);

#endif
