/* SPDX-License-Identifier: MIT
 *
 * What libstmlog-objects.so offers the agent, to which it is a weak reference: the two are preloaded together
 * or not at all, and the agent alone leaves the program's memory management untouched.
 *
 * The library stands before malloc and its kin, and remembers each block with the traceback of its
 * allocation (table.h, places.h). Functions here: any thread, any time; none of them allocates.
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stmlog/stmlog.h>

/* From now on, if not already: where libitm is loaded by the time of the first allocation, from there on. */
typedef void objects_watch_function(void);
STMLOG_API objects_watch_function stmlog_objects_watch;

/* As setup.find_block: the last block that covered the address. */
typedef bool objects_find_function(uintptr_t object, struct stmlog_block *block, void *unused);
STMLOG_API objects_find_function stmlog_objects_find;

/* What was not kept. */
struct objects_counts {
	uint64_t missing;   /* allocations of which there was no room to remember them */
	uint64_t forgotten; /* blocks given up after they were freed, to make room */
};
typedef struct objects_counts objects_count_function(void);
STMLOG_API objects_count_function stmlog_objects_count;

#endif
