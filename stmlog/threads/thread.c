/* SPDX-License-Identifier: MIT
 * The calling thread's handle: how a thread gets one, and how it loses it without being asked. */
#include "thread.h"

#include <errno.h>
#include <pthread.h>

#include "registry.h"
#include "session.h"

/* Initial-exec: one load on the way to the handle, in a shared library too; a pointer fits into the room
 * that the C library keeps for libraries loaded later. */
static __thread struct stmlog_thread *self __attribute__((tls_model("initial-exec")));

static pthread_key_t exit_key;
static volatile AO_t has_exit_key; /* a thread may end while another one closes */
static void (*when_attached)(void);

struct stmlog_thread *stmlog_thread_self(void)
{
	return self;
}

struct stmlog_thread *stmlog_thread_attach(void)
{
	if (self != NULL || !session_is_open())
		return self;
	int saved = errno;
	self = registry_attach();
	/* Any value but NULL makes the destructor run. If it cannot be set, the thread stays attached for
	 * good and its record is never used again: nothing worse. */
	if (self != NULL) {
		pthread_setspecific(exit_key, self);
		when_attached();
	}
	errno = saved;
	return self;
}

void stmlog_thread_detach(void)
{
	struct stmlog_thread *thread = self;
	if (thread == NULL)
		return;
	int saved = errno;
	self = NULL; /* first: a signal handler that transacts from here on is not recorded */
	registry_detach(thread);
	if (AO_load(&has_exit_key))
		pthread_setspecific(exit_key, NULL);
	errno = saved;
}

static void at_thread_exit(void *thread)
{
	(void)thread;
	stmlog_thread_detach();
}

uint32_t stmlog_thread_id(const struct stmlog_thread *thread)
{
	return thread != NULL ? (uint32_t)AO_load(&thread->id) : 0;
}

struct tb_stack *stmlog_thread_stack(struct stmlog_thread *thread)
{
	return thread != NULL ? thread->stack : NULL;
}

void stmlog_account_read(const struct stmlog_thread *thread, struct stmlog_account *account)
{
	account_read(&thread->account, account);
}

int thread_watch(void (*attached)(void))
{
	when_attached = attached;
	int error = -pthread_key_create(&exit_key, at_thread_exit);
	AO_store(&has_exit_key, error == 0);
	return error;
}

void thread_unwatch(void)
{
	if (AO_load(&has_exit_key))
		pthread_key_delete(exit_key);
	AO_store(&has_exit_key, 0);
}
