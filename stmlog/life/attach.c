/* SPDX-License-Identifier: MIT
 * Attaches and detaches threads: gives them a record of the registry and a recorder of a timeline, and sets the key
 * whose destructor detaches a thread that ends. */
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "check.h"
#include "clock.h"
#include "locks.h"
#include "misuse.h"
#include "off_processor.h"
#include "registry.h"
#include "session.h"
#include "timeline.h"

static pthread_key_t exit_key;
static volatile AO_t has_exit_key; /* a thread may end while another one closes */
static void (*when_attached)(void);
/* 1: this process was forked, and `when_attached` was not called in it yet, though its thread is attached. Set before
 * the child has a second thread; no other memory depends on it. */
static volatile AO_t is_new_child;

/* Asks again whether the session is open: it may have been closed since the caller asked, and its registry freed. Once
 * a thread is attached the registry stays. */
static struct stmlog_thread *enter(const char *lane)
{
	struct thread_identity identity = registry_identify(lane);
	registry_lock();
	struct stmlog_thread *thread = session_is_open() ? registry_attach(&identity) : NULL;
	if (thread != NULL)
		timeline_attached(thread);
	registry_unlock();
	return thread;
}

/* Requires the lock. The registry comes last: it passes the stack on to the next thread, and the timeline has
 * references to frames of the stack. The record stays busy until it is used again, so that hooks that still have the
 * handle do nothing. */
static void leave_ended(struct stmlog_thread *thread, struct thread_name name)
{
	REQUIRES(registry_is_locked());
	timeline_detached(thread);
	registry_detach(thread, name);
}

/* For the record of another thread, or of a lane. Requires the lock. */
static void leave_locked(struct stmlog_thread *thread)
{
	REQUIRES(registry_is_locked());
	thread_stay_busy(thread);
	registry_end(thread);
	leave_ended(thread, thread->name);
}

static void leave_own(struct stmlog_thread *thread)
{
	thread_stay_busy(thread);
	registry_end(thread);
	struct thread_name name = thread_read_name(thread->name);
	registry_lock();
	leave_ended(thread, name);
	registry_unlock();
}

/* A signal handler that has interrupted an attach or detach on this thread gets none: it would wait for its own lock.
 */
static struct stmlog_thread *open_own(void)
{
	struct stmlog_thread *self = stmlog_thread_self();
	if (!session_is_open() || (self != NULL && !AO_load(&is_new_child)) || locks_are_held_here())
		return self;
	int saved = errno;
	if (self == NULL) {
		self = enter(NULL);
		thread_set_self(self);
	}
	/* Any value but NULL makes the destructor run. If it cannot be set, the thread stays attached for good and its
	 * record is never used again, which does no harm. */
	if (self != NULL) {
		pthread_setspecific(exit_key, self);
		AO_store(&is_new_child, 0);
		when_attached();
	}
	errno = saved;
	return self;
}

static void close_own(struct stmlog_thread *thread)
{
	int saved = errno;
	thread_set_self(NULL); /* first: a signal handler that transacts from here on is not recorded */
	leave_own(thread);
	off_processor_end();
	if (AO_load(&has_exit_key))
		pthread_setspecific(exit_key, NULL);
	errno = saved;
}

/* Whether the OS thread has ended. Its number may belong to a new thread by now: then it counts as not ended. */
static bool is_gone(const struct stmlog_thread *thread)
{
	return thread->system_id != 0 && tgkill(session.pid, (pid_t)thread->system_id, 0) != 0 && errno == ESRCH;
}

void attach_leave_ended(void)
{
	REQUIRES(registry_is_locked());
	int saved = errno;
	struct stmlog_thread *next;
	if (AO_load(&session_is_filtered)) /* the filter may kill the process for tgkill() */
		return;
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = next) {
		next = thread->next;
		if (is_gone(thread))
			leave_locked(thread);
	}
	errno = saved;
}

/* ---- lanes ---- */

static struct stmlog_thread *open_lane(const char *name)
{
	if (!session_is_open())
		return NULL;
	int saved = errno;
	struct stmlog_thread *lane = enter(name);
	if (lane != NULL)
		when_attached();
	errno = saved;
	return lane;
}

/* In a forked child, a lane of the parent is left alone: another thread may have been changing it. */
static void close_lane(struct stmlog_thread *lane)
{
	int saved = errno;
	if (account_is_idle(&lane->account))
		account_claim(&lane->account, clock_now_ns());
	registry_lock();
	if (registry_has(lane))
		leave_locked(lane);
	registry_unlock();
	errno = saved;
}

void stmlog_claim(struct stmlog_thread *lane)
{
	if (lane == NULL || !thread_enter(lane))
		return;
	if (account_is_idle(&lane->account))
		account_claim(&lane->account, off_processor_start_ns(lane, clock_now_ns()));
	else
		misuse_count("stmlog_claim of a lane that is claimed already");
	thread_leave(lane);
}

void stmlog_release(struct stmlog_thread *lane)
{
	if (lane == NULL || !thread_enter(lane))
		return;
	if (lane->is_lane && !account_is_idle(&lane->account))
		account_release(&lane->account, off_processor_end_ns(lane));
	else
		misuse_count("stmlog_release of a lane that is not claimed");
	thread_leave(lane);
}

/* ---- handles ---- */

struct stmlog_thread *stmlog_thread_open(const char *lane)
{
	return lane != NULL ? open_lane(lane) : open_own();
}

/* The own handle of another thread is not closed: that thread may be within a hook. */
void stmlog_thread_close(struct stmlog_thread **thread)
{
	if (thread == NULL || *thread == NULL)
		return;
	if ((*thread)->is_lane)
		close_lane(*thread);
	else if (*thread == stmlog_thread_self())
		close_own(*thread);
	else
		misuse_count("stmlog_thread_close of the handle of another thread");
	*thread = NULL;
}

/* ---- the end of threads ---- */

static void at_thread_exit(void *thread)
{
	(void)thread;
	struct stmlog_thread *self = stmlog_thread_self();
	if (self != NULL)
		close_own(self);
}

int attach_open(void (*attached)(void))
{
	when_attached = attached;
	int error = -pthread_key_create(&exit_key, at_thread_exit);
	AO_store(&has_exit_key, error == 0);
	return error;
}

void attach_fork_child(void)
{
	AO_store(&is_new_child, 1);
}

void attach_close(void)
{
	if (AO_load(&has_exit_key))
		pthread_key_delete(exit_key);
	AO_store(&has_exit_key, 0);
}
