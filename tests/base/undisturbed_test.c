/* SPDX-License-Identifier: MIT
 * Writing while the thread is to be cancelled, into a closed pipe, and beyond the limit of file sizes. A call on a
 * stack of our own: where a checker looks on, the function is called on the caller's, and the tests of the other stack
 * are skipped. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "mem.h"
#include "test.h"
#include "undisturbed.h"

static bool is_pending(int signal)
{
	sigset_t pending;
	sigpending(&pending);
	return sigismember(&pending, signal) == 1;
}

static void write_into_closed_pipe(void)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(write(ends[1], "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	close(ends[1]);
}

TEST(a_closed_pipe_is_an_error_and_no_signal)
{
	struct undisturbed was;
	undisturbed_begin(&was);
	write_into_closed_pipe();
	assert_true(is_pending(SIGPIPE));
	undisturbed_end(&was);
	assert_false(is_pending(SIGPIPE));
}

TEST(so_is_a_file_that_grows_too_large)
{
	struct undisturbed was;
	struct rlimit before, none;
	int file = memfd_create("limited", 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	undisturbed_begin(&was);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(write(file, "x", 1), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	errno = ERANGE;
	undisturbed_end(&was);
	assert_int_equal(errno, ERANGE);
	close(file);
}

TEST(a_signal_that_the_program_has_blocked_still_waits_for_it)
{
	struct undisturbed was;
	sigset_t pipe_signal, before;
	int taken;
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
	raise(SIGPIPE);
	undisturbed_begin(&was);
	write_into_closed_pipe();
	undisturbed_end(&was);
	assert_true(is_pending(SIGPIPE));
	assert_int_equal(sigwait(&pipe_signal, &taken), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

TEST(it_nests)
{
	struct undisturbed outer, inner;
	undisturbed_begin(&outer);
	undisturbed_begin(&inner);
	undisturbed_end(&inner);
	write_into_closed_pipe();
	undisturbed_end(&outer);
	assert_false(is_pending(SIGPIPE));
}

static bool has_written;

/* A thread that is cancelled leaves its stack poisoned. The address sanitizer uses that stack, unless it has no signal
 * stacks to take back. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}

/* write() is where a pending cancellation acts. */
static void *write_while_cancelled(void *file)
{
	struct undisturbed was;
	pthread_cancel(pthread_self());
	undisturbed_begin(&was);
	has_written = write(*(int *)file, "x", 1) == 1;
	undisturbed_end(&was);
	pthread_testcancel();
	return NULL;
}

TEST(a_cancellation_waits_until_it_is_over)
{
	pthread_t thread;
	void *result;
	int file = memfd_create("written", 0);
	assert_int_equal(pthread_create(&thread, NULL, write_while_cancelled, &file), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_true(has_written);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	close(file);
}

/* ---- the stack ---- */

struct call {
	pthread_t thread;
	uintptr_t place; /* of a variable of the call */
	int calls;
};

static void note(void *arg)
{
	struct call *call = arg;
	call->thread = pthread_self();
	call->place = (uintptr_t)&arg;
	call->calls++;
}

static bool is_on_threads_stack(uintptr_t place)
{
	OWNED(pthread_attr_destroy) pthread_attr_t attributes;
	void *start;
	size_t size;
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &size);
	return place - (uintptr_t)start < size;
}

TEST(it_is_called_on_another_stack)
{
	struct call call = {.calls = 0};
	if (has_checker())
		skip();
	undisturbed_run(note, &call);
	assert_false(is_on_threads_stack(call.place));
	assert_int_equal(call.calls, 1);
	assert_true(pthread_equal(call.thread, pthread_self()));
}

TEST(without_memory_it_is_called_where_the_caller_is)
{
	struct call call = {.calls = 0};
	if (has_checker())
		skip();
	mem_fail_at(1);
	undisturbed_run(note, &call);
	mem_fail_at(0);
	assert_int_equal(call.calls, 1);
	assert_true(is_on_threads_stack(call.place));
}

static void fill_200_kb(void *arg)
{
	volatile char bytes[200 * 1024];
	memset((char *)bytes, 1, sizeof bytes);
	note(arg);
}

static void *run(void *arg)
{
	undisturbed_run(fill_200_kb, arg);
	return NULL;
}

TEST(a_thread_with_the_smallest_stack_has_200_kb_there)
{
	struct call call = {.calls = 0};
	pthread_attr_t attributes;
	pthread_t thread;
	if (has_checker())
		skip();
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN), 0);
	assert_int_equal(pthread_create(&thread, &attributes, run, &call), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	assert_int_equal(call.calls, 1);
}

static void run_again(void *arg)
{
	undisturbed_run(note, arg);
	undisturbed_run(note, arg);
}

TEST(a_call_may_make_another)
{
	struct call call = {.calls = 0};
	undisturbed_run(run_again, &call);
	assert_int_equal(call.calls, 2);
	assert_int_equal(mem_live_bytes(), 0);
}
