/* SPDX-License-Identifier: MIT
 *
 * Data that threads share under a lock, in forked children. The library holds no lock while the process forks, because
 * the program's fork handlers may run transactions, or wait for threads that do. So a child may have a lock that
 * another thread had locked, and data that this thread had changed in part. It begins them anew, without reading more
 * than what is right at any moment. For it sees each other thread stopped between two instructions.
 *
 * The child does so in a fork handler, or before, in a handler of the program's: whoever uses a part looks first. Linux
 * clears the words of the parts at a fork (MADV_WIPEONFORK); before 4.14 the handler does.
 */
#ifndef BASE_FORKS_H
#define BASE_FORKS_H

#include <atomic_ops.h>

#include <stmlog/compiler.h>

enum fork_part { FORKS_FRAMES, FORKS_REGISTRY, FORKS_LABELS, FORKS_PARTS };

/* 0: not watched yet, or in a child that has not begun the part anew. A page of their own. */
extern volatile AO_t forks_words[4096 / sizeof(AO_t)] __attribute__((visibility("hidden")));

/* From now on children call the function to begin the part anew. The same one at each call. Keeps errno. */
void forks_watch(enum fork_part part, void (*begin_anew)(void));

/* For forks_look() only. Keeps errno. */
void forks_begin_anew(enum fork_part part);

/* Called before a part is used, without its lock. */
static inline void forks_look(enum fork_part part)
{
	if (STMLOG_UNLIKELY(AO_load(&forks_words[part]) == 0))
		forks_begin_anew(part);
}

#endif
