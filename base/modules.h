/* SPDX-License-Identifier: MIT
 * The executable and its libraries as they are mapped now. */
#ifndef STMLOG_MODULES_H
#define STMLOG_MODULES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MOST 32

struct module {
	uint64_t start; /* of its code; end: one past it */
	uint64_t end;
	uint64_t bias;
	char path[PATH_MAX];
	uint32_t build_id_len;
	uint8_t build_id[BUILD_ID_MOST];
};

/* Calls `visit` for each module that has code; the module is valid during the call only. */
void modules_visit(void (*visit)(const struct module *module, void *arg), void *arg);

/* Finds the module that holds an address. Returns whether there is one. */
int modules_find(uint64_t address, struct module *found);

#endif
