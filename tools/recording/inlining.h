/* SPDX-License-Identifier: MIT
 * One address of machine code may stand for several frames of the source: functions that the compiler inlined. */
#ifndef INLINING_H
#define INLINING_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

enum { INLINING_DEPTH = 16 };

/* Pointers are borrowed from the module's debug information. */
struct inlining_frame {
	const char *function; /* linkage name where there is one; NULL: not known */
	const char *file;     /* NULL: not known */
	uint32_t line;
};

/* What has been found out about modules' debug information, which has to outlive it. */
struct inlining;
struct inlining *inlining_create(void);
void inlining_destroy(struct inlining **inlining);

/* The frames at `address` (as it was when the program ran), innermost first; 0: no debug information. At most
 * INLINING_DEPTH, of which the last is then not the outermost. */
size_t inlining_frames(
	struct inlining *inlining, Dwfl_Module *module, uint64_t address, struct inlining_frame frames[INLINING_DEPTH]);

#endif
