/* SPDX-License-Identifier: MIT
 * Lists the mappings of a process's memory, as the kernel has them in /proc, and modules: the executable and its shared
 * libraries, as they are mapped now, and those that were mapped before. */
#ifndef STMLOG_MODULES_H
#define STMLOG_MODULES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- mappings ---- */

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

/* ---- modules ---- */

#define BUILD_ID_MAX 32

struct module {
	uint64_t start;      /* first address of its code */
	uint64_t end;        /* last address of its code + 1 */
	uint64_t bias;       /* address in memory - address in the ELF file */
	char path[PATH_MAX]; /* the file's, also if it was deleted since: without the kernel's mark */
	uint32_t build_id_len;
	uint8_t build_id[BUILD_ID_MAX];
};

/* Returns the path of the program; "": not known. Remembers it: the program may lose sight of /proc. The first call is
 * made before there is a second thread that calls this. */
const char *modules_program(void);

/* Calls `visit` for each module that has code. The module is valid only during the call. Any thread, but no signal
 * handler: the dynamic linker's list is locked, also while `visit` runs. Where the other threads were killed
 * (locks_are_abandoned()) one of them may have locked it: then the kernel's list of mappings is read. */
void modules_visit(void (*visit)(const struct module *module, void *arg), void *arg);

/* Remembers the modules that are loaded now, for modules_visit_kept(): they may be unloaded later. Remembers at most
 * MODULES_KEPT_MAX. Any thread, but no signal handler. */
#define MODULES_KEPT_MAX 512
void modules_keep(void);

/* Calls `visit` for each remembered module, whether it is still loaded or not, the last remembered first. */
void modules_visit_kept(void (*visit)(const struct module *module, void *arg), void *arg);

#endif
