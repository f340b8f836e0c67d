/* SPDX-License-Identifier: MIT
 *
 * All that lazystm knows of stmlog: the example for a lazy runtime that embeds it. With STMLOG_OFF these functions do
 * nothing. no_profile.h has the same names for a build without stmlog.
 *
 * Each thread has a handle and a shadow stack; both are NULL while no profiler is open. A line of the program is on the
 * shadow stack while a transaction runs that began there. Lines that read or write are pushed only where a traceback is
 * captured: at each first write, and when a conflict is reported. Until then a read is known by its line alone, which
 * costs one word. So the traceback of a read that is found invalid at the commit lacks the frames that the program had
 * entered within the transaction.
 *
 * Beside each lock stands which attempt wrote its words last. It is stored before the lock is released.
 */
#ifndef LAZYSTM_PROFILE_H
#define LAZYSTM_PROFILE_H

#include <atomic_ops.h>

#include <stmlog/runtime.h>

struct lock;

/* A line of the program. */
typedef const struct tb_place *profile_line;
#define PROFILE_HERE() ((profile_line)TB_HERE().position)

/* What the attempt does with a word over which it is in conflict. */
enum profile_access { PROFILE_READ, PROFILE_WRITE };

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

/* With STMLOG_OFF the compiler knows that there is none, so no function of the library is linked. */
static inline struct stmlog_thread *profile_thread(const struct profile *profile)
{
#ifdef STMLOG_OFF
	(void)profile;
	return NULL;
#else
	return profile->thread;
#endif
}

/* ---- the shadow stack ---- */

static inline void profile_enter(const struct profile *profile, profile_line here)
{
	if (profile_thread(profile) != NULL)
		tb_push(profile->stack, tb_place_site(here));
}

static inline void profile_leave(const struct profile *profile)
{
	if (profile_thread(profile) != NULL)
		tb_pop(profile->stack);
}

/* After an abort: the attempt has left by longjmp() the functions that it had entered. */
static inline void profile_unwind(const struct profile *profile)
{
	if (profile_thread(profile) != NULL)
		tb_unwind(profile->stack, profile->mark);
}

/* ---- attempts ---- */

static inline void profile_start(struct profile *profile)
{
	if (profile_thread(profile) == NULL)
		return;
	profile->mark = tb_mark(profile->stack);
	stmlog_start(profile->thread);
}

static inline void profile_retry(const struct profile *profile)
{
	stmlog_retry(profile_thread(profile));
}

static inline void profile_commit(const struct profile *profile)
{
	stmlog_commit(profile_thread(profile));
}

/* Between these two the thread backs off. */
static inline void profile_other_begin(const struct profile *profile)
{
	stmlog_other_begin(profile_thread(profile));
}

static inline void profile_other_end(const struct profile *profile)
{
	stmlog_other_end(profile_thread(profile));
}

/* The program itself aborts the attempt. */
static inline void profile_asked(const struct profile *profile, profile_line here, const char *why)
{
	profile_enter(profile, here);
	stmlog_abort_asked(profile_thread(profile), why);
}

/* ---- writes, and conflicts because of them ---- */

/* The attempt writes the word for the first time, into its buffer. */
static inline void profile_wrote(const struct profile *profile, profile_line here, const void *word)
{
	if (profile_thread(profile) == NULL)
		return;
	tb_push(profile->stack, tb_place_site(here));
	stmlog_wrote(profile->thread, (uintptr_t)word);
	tb_pop(profile->stack);
}

/* Whether some thread was ever recorded. Until then no lock has a writer to be told of. */
extern volatile AO_t profile_has_recorded;

/* Private: profile_publish() behind its test. */
void profile_publish_on(const struct profile *profile, const struct lock *lock);

/* The commit has written the lock's words, and still holds the lock. A thread that is not recorded publishes that the
 * writer is not known. */
static inline void profile_publish(const struct profile *profile, const struct lock *lock)
{
#ifdef STMLOG_OFF
	(void)profile;
	(void)lock;
#else
	if (STMLOG_UNLIKELY(AO_load(&profile_has_recorded) != 0))
		profile_publish_on(profile, lock);
#endif
}

/* The attempt aborts because of another one, which holds the lock of the word or has given it a new version. */
void profile_conflict(const struct profile *profile, enum profile_access access, profile_line here, const void *word,
	const struct lock *lock);

#endif
