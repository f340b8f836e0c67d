/* SPDX-License-Identifier: MIT
 * Lists the mappings of a process's memory, as the kernel has them in /proc. */
#ifndef STMLOG_MAPS_H
#define STMLOG_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for one line, "START-END FLAGS OFFSET DEVICE INODE    PATH". */
struct maps_line {
	char text[PATH_MAX + 128];
	size_t len;
};

struct mapping {
	uintptr_t start, end; /* `end` is the first address behind it */
	bool is_readable, is_code;
	uint64_t offset, inode; /* of its file */
	const char *path;       /* of its file; NULL: none */
};

/* Calls `visit` for each mapping that the file lists, in the order of addresses, until that returns false. `path`:
 * usually MAPS_OF_SELF. Uses `line` as memory of its own. Returns false, and makes no calls, if the file cannot be
 * opened. Async-signal-safe. */
#define MAPS_OF_SELF "/proc/self/maps"
bool maps_visit(
	const char *path, struct maps_line *line, bool (*visit)(const struct mapping *mapping, void *arg), void *arg);

#endif
