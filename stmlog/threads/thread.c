/* SPDX-License-Identifier: MIT
 * The record of a thread: its memory, the calling thread's handle to it, and the public functions that read it. */
#include "thread.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "mem.h"
#include "misuse.h"
#include "session.h"

_Static_assert(sizeof(struct stmlog_thread) <= 3 * 4096, "a record takes three pages");

struct stmlog_thread *thread_create(size_t capacity)
{
	struct stmlog_thread *thread = mem_alloc(sizeof *thread);
	if (thread == NULL)
		return NULL;
	thread->stack = &thread->shadow.stack;
	tb_stack_init(thread->stack, sizeof thread->shadow, 0);
	timelog_init(&thread->own_log, capacity, thread->stack);
	thread->log = &thread->own_log;
	thread->paths = session.has_paths ? paths_create() : NULL;
	if (session.has_paths && thread->paths == NULL) {
		tb_stack_fini(thread->stack);
		mem_free(thread, sizeof *thread);
		return NULL;
	}
	ledger_init(&thread->ledger, thread->stack);
	thread->place = TB_UNKNOWN;
	return thread;
}

void thread_shrink(struct stmlog_thread *thread)
{
	REQUIRES(thread->ledger.active == NULL && thread->ledger.pending.len == 0);
	timelog_fini(thread->log);
}

void thread_destroy(struct stmlog_thread **thread)
{
	struct stmlog_thread *record = *thread;
	REQUIRES(record->ledger.active == NULL);
	*thread = NULL;
	ledger_fini(&record->ledger);
	paths_destroy(&record->paths, record->stack);
	tries_clear(&record->distribution);
	timelog_fini(record->log);
	tb_stack_fini(record->stack);
	mem_free(record, sizeof *record);
}

/* Initial-exec, so that the handle is read by one more load only, in a shared library too. A pointer fits into the
 * thread-local memory that the C library reserves for libraries loaded later. */
static __thread struct stmlog_thread *self __attribute__((tls_model("initial-exec")));

struct stmlog_thread *stmlog_thread_self(void)
{
	return self;
}

void thread_set_self(struct stmlog_thread *thread)
{
	self = thread;
}

struct thread_name thread_read_name(struct thread_name before)
{
	int saved = errno;
	if (!AO_load(&session_is_filtered)) /* the kernel may kill the process for the call */
		prctl(PR_GET_NAME, before.text);
	errno = saved;
	return before;
}

uint32_t stmlog_thread_id(const struct stmlog_thread *thread)
{
	return thread != NULL ? (uint32_t)AO_load(&thread->id) : 0;
}

__attribute__((noinline)) void thread_forget_losses(struct stmlog_thread *thread)
{
	thread->so_far = (struct so_far){.tries = 1};
}

/* An atomic instruction, because a handler may be interrupted by another one. */
__attribute__((cold)) void thread_count_lost_call(struct stmlog_thread *thread)
{
	AO_fetch_and_add1(&thread->calls_lost);
}

__attribute__((cold)) void thread_misuse(const struct stmlog_thread *thread, const char *what)
{
	static const char idle[] = " of a lane that is not claimed";
	char text[128] = {0};
	size_t len = strcspn(what, " ");
	if (!account_is_idle(&thread->account) || len + sizeof idle > sizeof text) {
		misuse_count(what);
		return;
	}
	memcpy(text, what, len);
	memcpy(text + len, idle, sizeof idle);
	misuse_count(text);
}

void stmlog_read_unmeasured_by(struct stmlog_thread *thread, stmlog_unmeasured_reader *read, void *arg)
{
	if (thread == NULL || !thread_enter(thread))
		return;
	account_read_unmeasured_by(&thread->account, read, arg);
	thread_leave(thread);
}

struct stmlog_attempts stmlog_measured_attempts(const struct stmlog_thread *thread)
{
	return thread != NULL ? account_measured(&thread->account) : (struct stmlog_attempts){.commits = 0};
}

void stmlog_account_read_sized(const struct stmlog_thread *thread, struct stmlog_account *account, size_t size)
{
	struct account_spread unused;
	struct stmlog_account figures = {.attached_ns = 0};
	if (thread != NULL)
		account_read(&thread->account, &figures, &unused);
	sized_copy(account, size, &figures, sizeof figures);
}

void stmlog_count_unavailable_traceback(struct stmlog_thread *thread)
{
	if (thread == NULL || !thread_enter(thread))
		return;
	thread_count_unavailable_traceback(thread);
	thread_leave(thread);
}
