/* SPDX-License-Identifier: MIT
 *
 * The interface of libstmlog-objects.so for the agent. The agent refers to it weakly: `record --objects` preloads it
 * together with the agent; without it the program's memory management is untouched.
 *
 * The library interposes malloc and its relatives, and remembers each block with the traceback of its allocation
 * (blocks.h). Any thread may call these functions at any time; none of them allocates.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

/* Starts to record allocations, unless that has started already. If libitm is loaded at the time of the first
 * allocation, the library starts by itself then. Returns false, and records nothing, in a program that is built with a
 * sanitizer. */
STMLOG_API bool stmlog_objects_watch(void);

/* For stmlog_setup.find_block: the last block that covered the address. */
STMLOG_API bool stmlog_objects_find(uintptr_t object, struct stmlog_block *block, void *unused);

/* How many blocks are not known. */
struct objects_counts {
	uint64_t missing;   /* allocations for which there was no room */
	uint64_t forgotten; /* freed blocks that were forgotten to make room */
};
STMLOG_API struct objects_counts stmlog_objects_count(void);

#endif
