/* SPDX-License-Identifier: MIT
 * Hooks of a warm thread make no system call, allocate nothing and lock nothing. A filter of the kernel kills the
 * process at its first system call; malloc() and pthread_mutex_lock() are the test's own, and count. */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/valgrind.h>

#include <stmlog/runtime.h>
#include <stmlog/timeline.h>

#include "child.h"
#include "test.h"

static unsigned calls;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 }; /* has a malloc() and system calls of its own */
#else
enum { IS_SANITIZED = 0 };

static int (*real_lock)(pthread_mutex_t *mutex);
void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	calls++;
	return __libc_malloc(size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	calls++;
	if (real_lock == NULL)
		real_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	return real_lock(mutex);
}
#endif

static struct stmlog_thread *thread;
static struct stmlog_other other;
static uint64_t origin;
static pthread_barrier_t barrier;

/* Stays in an attempt that has written, so that the others' conflicts find it. */
static void *be_met(void *unused)
{
	struct stmlog_thread *self = stmlog_thread_attach();
	tb_push(stmlog_thread_stack(self), TB_HERE());
	stmlog_start(self);
	stmlog_wrote(self, 64);
	stmlog_became_inevitable(self);
	other = stmlog_other_make(self, stmlog_attempt(self));
	pthread_barrier_wait(&barrier);
	pause();
	return unused;
}

static struct stmlog_loss loss_of(enum stmlog_reason reason, enum stmlog_contention_kind contention)
{
	struct stmlog_loss loss = stmlog_loss_make(reason, contention, "WORD");
	loss.local = tb_current(stmlog_thread_stack(thread));
	return loss;
}

static void abort_in_all_ways(uintptr_t object)
{
	struct stmlog_loss loss = loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_failed(thread);
	stmlog_abort_at(thread, &loss, 0);
	stmlog_retry(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, object, other, "WORD");
	stmlog_abort_self(thread);
	stmlog_retry(thread);
	stmlog_aborted_by(thread, other, STMLOG_WRITE_WRITE, "WORD");
	stmlog_retry(thread);
	stmlog_contention_at(thread, STMLOG_READ_MEETS_WRITE, loss.local, object, stmlog_other_by(origin), "WORD");
	stmlog_abort_self(thread);
	stmlog_retry(thread);
	stmlog_contention_from(thread, STMLOG_EARLIER_READ_MEETS_WRITE, stmlog_origin(thread), object, other, "WORD");
	stmlog_contention_overlap(thread, STMLOG_OVERLAP_STRIPE, object + 8);
	stmlog_abort_self(thread);
	stmlog_retry(thread);
	stmlog_abort_asked(thread, "WORD");
	stmlog_retry(thread);
}

static void wait_in_all_ways(uintptr_t object)
{
	struct stmlog_loss waited = loss_of(STMLOG_PAUSE, STMLOG_WRITE_WRITE);
	stmlog_contention(thread, STMLOG_READ_MEETS_WRITE, object, other, NULL);
	stmlog_pause_self(thread);
	stmlog_pause_end(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_READ, object, other, NULL);
	stmlog_abort_other(thread);
	stmlog_wait_inevitable(thread, other, "WORD");
	stmlog_wait_end(thread);
	stmlog_waited(thread, &waited, 10);
	stmlog_other_begin(thread);
	stmlog_other_end(thread);
	stmlog_descheduled(thread, 1, 1);
}

static void record_in_the_timeline(void)
{
	stmlog_mark(thread, "mark", 1);
	stmlog_counter(thread, "counter", 1);
	stmlog_region_begin(thread, "region", 1);
	stmlog_region_end(thread, 1);
}

/* A few places, as in a program: no place is new in the second round. */
static void transact(void)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	for (uintptr_t place = 1; place <= 20; place++) {
		tb_push(stack, tb_site_make(2, place));
		stmlog_wait_segment(thread);
		stmlog_wait_end(thread);
		stmlog_set_weight(thread, 1 + place % 2);
		stmlog_start(thread);
		stmlog_wrote(thread, 64);
		stmlog_wrote_at(thread, 128, tb_current(stack));
		origin = stmlog_origin(thread);
		abort_in_all_ways(64);
		wait_in_all_ways(64);
		record_in_the_timeline();
		stmlog_commit(thread);
		stmlog_unmeasured(thread, 1, 1);
		tb_pop(stack);
	}
}

static bool allow_only_the_end(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { QUIET, NOISY, NO_FILTER };

/* Never returns to cmocka, which would make system calls. */
static void be_quiet(bool has_timeline, void (*then)(void))
{
	const struct stmlog_setup setup = {.runtime = "quiet", .report = "none"};
	pthread_t met;
	pthread_barrier_init(&barrier, NULL, 2);
	stmlog_open(&setup);
	thread = stmlog_thread_attach();
	pthread_create(&met, NULL, be_met, NULL);
	pthread_barrier_wait(&barrier);
	if (has_timeline)
		stmlog_timeline_start();
	for (int times = 0; times < 6; times++)
		transact();
	if (!allow_only_the_end())
		_exit(NO_FILTER);
	calls = 0;
	for (int times = 0; times < 20; times++)
		transact();
	then();
	syscall(SYS_exit_group, calls == 0 && tb_misuses() == 0 ? QUIET : NOISY);
}

static int status_of(bool has_timeline, void (*then)(void))
{
	if (IS_SANITIZED || RUNNING_ON_VALGRIND)
		skip();
	pid_t child = fork();
	if (child == 0)
		be_quiet(has_timeline, then);
	int status = child_end(child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
		skip();
	return status;
}

static void nothing(void)
{
}

static void lock_a_mutex(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

/* Stored where the compiler has to keep it: clang leaves out an allocation that nobody uses. */
static void *volatile memory;

static void allocate(void)
{
	memory = malloc(1);
	free(memory);
}

static void ask_for_the_parent(void)
{
	syscall(SYS_getppid);
}

TEST(hooks_of_a_warm_thread_neither_call_the_kernel_nor_allocate_nor_lock)
{
	assert_int_equal(status_of(false, nothing), 0);
}

TEST(nor_do_they_in_a_timeline)
{
	assert_int_equal(status_of(true, nothing), 0);
}

/* So the tests above would fail. */
TEST(a_lock_an_allocation_and_a_system_call_are_noticed)
{
	assert_int_equal(WEXITSTATUS(status_of(false, lock_a_mutex)), NOISY);
	assert_int_equal(WEXITSTATUS(status_of(false, allocate)), NOISY);
	assert_int_equal(WTERMSIG(status_of(false, ask_for_the_parent)), SIGSYS);
}
