/* SPDX-License-Identifier: MIT
 * Store buffering: two threads each store their own word and then load the other's. With a light fence on one side and
 * a heavy one on the other, at least one of them sees the other's store. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "locks.h"
#include "random.h"
#include "stress.h"
#include "test.h"

#define ROUNDS 60000
/* So often a trial sleeps until the other thread has a processor: on a busy machine each time takes as long as other
 * programs may run. Then it ends, since rounds with only one thread on a processor show nothing. */
#define SLEEPS 4000

/* Each word has cache lines of its own. */
struct word {
	volatile AO_t value;
	char unused[128 - sizeof(AO_t)];
} __attribute__((aligned(128)));

static struct word light, heavy, begun, done;
static AO_t seen_by_light; /* of the present round; published by `done` */

static bool light_fence(void)
{
	fence_light();
	return true;
}

struct trial {
	bool (*heavy_side)(void);
	AO_t rounds;
	AO_t missed; /* rounds in which neither side saw the other */
	AO_t sleeps; /* of both sides */
};

static void wait_for(struct trial *trial, const struct word *word, AO_t value)
{
	for (int turns = 0; AO_load_acquire(&word->value) < value; turns++)
		if (turns > 20000) {
			AO_fetch_and_add1(&trial->sleeps);
			usleep(100);
		}
}

static void dawdle(struct random *random)
{
	for (volatile uint32_t i = random_below(random, 64); i > 0; i--)
		;
}

static void *run_light_side(void *arg)
{
	struct trial *trial = arg;
	struct random random = {1};
	for (AO_t round = 1;; round++) {
		wait_for(trial, &begun, round);
		if (round > AO_load(&trial->rounds))
			break;
		dawdle(&random);
		AO_store(&light.value, round);
		fence_light();
		seen_by_light = AO_load(&heavy.value);
		AO_store_release(&done.value, round);
	}
	return NULL;
}

static void run_heavy_side(struct trial *trial)
{
	struct random random = {2};
	AO_t round = 1;
	for (; round <= trial->rounds && AO_load(&trial->sleeps) < SLEEPS; round++) {
		AO_store_release(&begun.value, round);
		dawdle(&random);
		AO_store(&heavy.value, round);
		assert_true(trial->heavy_side());
		AO_t seen_by_heavy = AO_load(&light.value);
		wait_for(trial, &done, round);
		trial->missed += seen_by_heavy != round && seen_by_light != round;
	}
	AO_store(&trial->rounds, round - 1);
	AO_store_release(&begun.value, round); /* one more, that the light side does not run */
}

static AO_t rounds_missed(bool (*heavy_side)(void))
{
	struct trial trial = {heavy_side, stress_times(ROUNDS), 0, 0};
	pthread_t thread;
	light = heavy = begun = done = (struct word){.value = 0};
	assert_int_equal(pthread_create(&thread, NULL, run_light_side, &trial), 0);
	run_heavy_side(&trial);
	pthread_join(thread, NULL);
	return trial.missed;
}

static void set_up(void)
{
	fence_choose();
}

static const struct test_fixture fixture = {.set_up = set_up};

TEST(one_side_sees_the_other_with_the_kernels_barrier)
{
	if (fence_is_symmetric)
		skip();
	assert_int_equal(rounds_missed(fence_heavy), 0);
}

TEST(one_side_sees_the_other_with_two_full_barriers)
{
	bool was = fence_is_symmetric;
	fence_is_symmetric = true;
	assert_int_equal(rounds_missed(fence_heavy), 0);
	fence_is_symmetric = was;
}

/* So the two tests above would find a fence that does nothing. A machine with one processor, or valgrind, runs one
 * thread at a time. */
TEST(without_the_heavy_side_some_rounds_are_missed)
{
	if (fence_is_symmetric || rounds_missed(light_fence) == 0)
		skip();
}

static bool refuse_membarrier(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_forked_child_may_ask_for_barriers)
{
	if (in_forked_child())
		_exit(fence_heavy() ? 0 : 1);
}

/* With a filter that answers membarrier() with an error, installed after the choice. */
TEST(a_barrier_that_is_refused_later_is_reported)
{
	pid_t child = fork();
	if (child == 0) {
		bool is_filtered = refuse_membarrier();
		bool is_done = fence_heavy();
		_exit(!is_filtered ? 77 : is_done != fence_is_symmetric || fence_is_refused() == fence_is_symmetric);
	}
	int status = child_end(child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

TEST(errno_is_kept)
{
	errno = 1234;
	fence_choose();
	assert_true(fence_heavy());
	assert_int_equal(errno, 1234);
}

GROUP_WITH(fixture);
