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

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "child.h"
#include "losses.h"
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
static uint64_t own, other; /* origins */
static pthread_barrier_t barrier;

/* Stays in an attempt, of which the other thread has the origin. */
static void *be_met(void *unused)
{
	struct stmlog_thread *self = stmlog_thread_open(NULL);
	stmlog_push(self, TB_HERE());
	stmlog_start(self);
	other = stmlog_became_inevitable(self, TB_NO_SITE);
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

static void abort_by(const struct stmlog_loss *loss)
{
	stmlog_abort(thread, loss);
	stmlog_retry(thread);
}

static void abort_in_all_ways(uintptr_t object)
{
	struct stmlog_loss known = loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ);
	struct stmlog_loss met = loss_over_write(STMLOG_SELF_ABORT, object, other, "WORD");
	abort_by(&known);
	stmlog_failed(thread);
	abort_by(&known);
	known.at_ns = stmlog_now_ns();
	abort_by(&known);
	abort_by(&met);
	met.own = own;
	met.grade = STMLOG_GRADE_CANDIDATE;
	met.overlap = STMLOG_OVERLAP_STRIPE;
	met.other_object = object + 8;
	abort_by(&met);
	met.cause.reason = STMLOG_ABORTED_BY_OTHER;
	abort_by(&met);
	abort_by(NULL);
	abort_asked(thread, "WORD");
	wait_blocked(thread);
	stmlog_wait_end(thread);
	stmlog_retry(thread);
}

static void wait_in_all_ways(uintptr_t object)
{
	const struct stmlog_loss waited = loss_of(STMLOG_PAUSE, STMLOG_WRITE_WRITE);
	const struct stmlog_loss met = loss_over_write(STMLOG_ABORTED_BY_OTHER, object, other, NULL);
	pause_over_write(thread, object, other, NULL);
	stmlog_wait_end(thread);
	stmlog_abort_other(thread, &met);
	wait_for_inevitable(thread, other, "WORD");
	stmlog_wait_end(thread);
	stmlog_waited(thread, &waited, 10);
	stmlog_wait_begin(thread, NULL);
	stmlog_wait_end(thread);
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
	for (uintptr_t place = 1; place <= 20; place++) {
		stmlog_push(thread, tb_site_make(2, place));
		wait_for_segment(thread);
		stmlog_wait_end(thread);
		stmlog_set_weight(thread, 1 + place % 2);
		stmlog_start(thread);
		stmlog_origin_at(thread, tb_current(stmlog_thread_stack(thread)));
		own = stmlog_origin(thread, TB_HERE());
		abort_in_all_ways(64);
		stmlog_became_inevitable(thread, TB_NO_SITE);
		wait_in_all_ways(64);
		record_in_the_timeline();
		stmlog_commit(thread);
		stmlog_unmeasured(thread, 1, 1);
		stmlog_pop(thread);
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
	thread = stmlog_thread_open(NULL);
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
