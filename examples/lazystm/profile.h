/* SPDX-License-Identifier: MIT
 *
 * All that lazystm knows of stmlog: the example for a lazy runtime that embeds it. With STMLOG_OFF no_profile.h takes
 * its place, which has the same names.
 *
 * Each thread has a handle and a shadow stack; both are NULL while no profiler is open. A line of the program is on the
 * shadow stack while a transaction runs that began there. Lines that read or write are pushed only where the library
 * needs the traceback: at each first write, and when a conflict is reported. Until then a read is known by its line
 * alone, which costs one word. So the traceback of a read that is found invalid at the commit lacks the frames that the
 * program had entered within the transaction.
 *
 * A first write asks for its origin, one word that stands for thread, attempt and traceback. Beside each lock are two
 * of them: the origin of the lock's version, and of the write for which the lock is held. So a victim can name the
 * writer, however long ago that has committed.
 *
 * Each hook is one test for a thread that is not recorded; what is behind it is out of line.
 */
#ifndef LAZYSTM_PROFILE_H
#define LAZYSTM_PROFILE_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "locks.h"

/* A line of the program. */
typedef const struct tb_place *profile_line;
#define PROFILE_HERE() ((profile_line)TB_HERE().position)

struct profile {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
	struct tb_mark mark; /* the stack when the transaction began */
};

/* Opens the profiler for the process, unless the program has done it. Returns 0, or the error of stmlog_open(). */
int profile_open(void);

/* If profile_open() has opened the profiler, closes it. */
void profile_close(void);

/* Attach and detach the calling thread. */
struct profile profile_attach(void);
void profile_detach(void);

/* After an abort: the attempt has left by longjmp() the functions that it had entered. */
static inline void profile_unwind(const struct profile *profile)
{
	if (profile->thread != NULL)
		tb_unwind(profile->stack, profile->mark);
}

/* ---- attempts ---- */

/* Private: the hooks behind their tests. */
void profile_start_on(struct profile *profile, profile_line here);
void profile_commit_on(const struct profile *profile);
void profile_asked_on(const struct profile *profile, profile_line here, const char *why);

/* A transaction begins on a line of the program. */
static inline void profile_start(struct profile *profile, profile_line here)
{
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		profile_start_on(profile, here);
}

static inline void profile_retry(const struct profile *profile)
{
	stmlog_retry(profile->thread);
}

static inline void profile_commit(const struct profile *profile)
{
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		profile_commit_on(profile);
}

/* The transaction is given up, after an abort. */
static inline void profile_give_up(const struct profile *profile)
{
	if (profile->thread != NULL)
		tb_pop(profile->stack);
}

/* Between these two the thread backs off. */
static inline void profile_other_begin(const struct profile *profile)
{
	stmlog_other_begin(profile->thread);
}

static inline void profile_other_end(const struct profile *profile)
{
	stmlog_other_end(profile->thread);
}

/* Between these two the thread sleeps until something changes that the attempt, which has aborted, has read. */
static inline void profile_blocked_begin(const struct profile *profile)
{
	stmlog_blocked_begin(profile->thread);
}

static inline void profile_blocked_end(const struct profile *profile)
{
	stmlog_blocked_end(profile->thread);
}

/* The program itself aborts the attempt. */
static inline void profile_asked(const struct profile *profile, profile_line here, const char *why)
{
	if (profile->thread != NULL)
		profile_asked_on(profile, here, why);
}

/* ---- writes, and conflicts because of them ---- */

/* What is known of a write in the buffer. The origin is 0 if the thread is not recorded. */
struct profile_write {
	uint64_t origin;
};

/* Private, as above. */
void profile_wrote_on(const struct profile *profile, profile_line here, struct profile_write *write);

/* The attempt writes a word for the first time, into its buffer. */
static inline void profile_wrote(const struct profile *profile, profile_line here, struct profile_write *write)
{
	write->origin = 0;
	if (STMLOG_UNLIKELY(profile->thread != NULL))
		profile_wrote_on(profile, here, write);
}

/* The word of a lock that is held for this write. Origins are below 2^63. */
static inline AO_t profile_held(const struct profile_write *write)
{
	return write->origin << 1 | 1;
}

/* Beside each lock the origin of its version; 0: not known. Written by the holder of the lock, read by any thread. */
extern volatile AO_t profile_writers[LOCKS] __attribute__((visibility("hidden")));

/* Whether some thread was ever recorded. Until then all writers are 0. */
extern volatile AO_t profile_has_recorded __attribute__((visibility("hidden")));

static inline bool profile_publishes(void)
{
	return STMLOG_UNLIKELY(AO_load(&profile_has_recorded) != 0);
}

/* The commit has written the lock's words, and will release the lock. Requires profile_publishes(). A thread that is
 * not recorded tells so, too. Release; partner: the acquire in find_culprit(). */
static inline void profile_publish(const struct profile_write *write, const struct lock *lock)
{
	AO_store_release(&profile_writers[lock_number(lock)], write->origin);
}

/* The attempt aborts because another one holds the lock of a word, or has given it a version that is newer than the
 * attempt: a word that it reads, or has read, at `here`; or a word of its own write. `look`: the lock as it was then.
 */
void profile_read_conflict(
	const struct profile *profile, profile_line here, const void *word, const struct lock *lock, AO_t look);
void profile_write_conflict(const struct profile *profile, const struct profile_write *write, const void *word,
	const struct lock *lock, AO_t look);

#endif
