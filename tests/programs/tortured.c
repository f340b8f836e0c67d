/* SPDX-License-Identifier: MIT
 * Two threads run contended transactions until the process is killed. A file in memory keeps how many they have
 * committed, and when.
 * usage: tortured FILE SECONDS       ends by itself after so many seconds
 *        tortured judge FILE COMMITS
 *                                    prints for how many milliseconds before the end the file has more commits than
 *                                    these; "too many" if it never had so many
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, SAMPLES = 4096, WORDS = 16 };

struct truth {
	volatile uint64_t commits[THREADS][8]; /* each on a cache line of its own */
	volatile uint64_t len;
	struct {
		uint64_t ms, commits;
	} samples[SAMPLES];
};

static struct truth *truth;
static uint64_t words[WORDS];

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void *transact(void *arg)
{
	volatile uint64_t *mine = truth->commits[(uintptr_t)arg];
	for (uint64_t n = 0;; n++) {
		__transaction_atomic
		{
			for (int i = 0; i < WORDS; i++)
				words[i] += n & 1;
		}
		*mine = n + 1;
	}
	return NULL;
}

static void sample(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < THREADS; i++)
		sum += *truth->commits[i];
	truth->samples[truth->len].commits = sum;
	truth->samples[truth->len].ms = now_ms();
	truth->len++;
}

static int run(uint64_t seconds)
{
	pthread_t thread;
	uint64_t end_ms = now_ms() + 1000 * seconds;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, transact, (void *)i) != 0)
			return 1;
	while (now_ms() < end_ms && truth->len < SAMPLES) {
		sample();
		usleep(10000);
	}
	return 0;
}

/* A commit is counted here after the profiler has counted it. */
static int judge(uint64_t commits)
{
	uint64_t len = truth->len, end = 0;
	for (int i = 0; i < THREADS; i++)
		end += *truth->commits[i];
	if (commits > end + THREADS) {
		printf("too many: %" PRIu64 " of %" PRIu64 "\n", commits, end);
		return 1;
	}
	uint64_t at = len;
	while (at > 0 && truth->samples[at - 1].commits > commits)
		at--;
	uint64_t last_ms = len > 0 ? truth->samples[len - 1].ms : 0;
	printf("%" PRIu64 "\n", at < len ? last_ms - truth->samples[at].ms : 0);
	return 0;
}

static int map(const char *path, int flags)
{
	int file = open(path, O_RDWR | flags, 0600);
	if (file < 0 || (flags != 0 && ftruncate(file, sizeof *truth) != 0))
		return 1;
	truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	return truth == MAP_FAILED;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "judge") == 0)
		return map(argv[2], 0) || judge(strtoull(argv[3], NULL, 10));
	return argc != 3 || map(argv[1], O_CREAT | O_TRUNC) || run(strtoull(argv[2], NULL, 10));
}
