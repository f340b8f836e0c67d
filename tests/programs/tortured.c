/* SPDX-License-Identifier: MIT
 * Two threads run contended transactions until the process is killed. A file in memory keeps how many they have
 * committed.
 * usage: tortured FILE SECONDS       kills itself after so many seconds; 0: just ends
 *        tortured judge FILE COMMITS
 *                                    prints how many more commits the file has; "too many" if it never had so many
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 2, WORDS = 16 };

struct truth {
	volatile uint64_t commits[THREADS][8]; /* each on a cache line of its own */
};

static struct truth *truth;
static uint64_t words[WORDS];

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

static int start(void)
{
	pthread_t thread;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, transact, (void *)i) != 0)
			return 1;
	return 0;
}

static int run(unsigned seconds)
{
	sleep(seconds);
	return seconds == 0 ? 0 : raise(SIGKILL);
}

/* A commit is counted here after the profiler has counted it. */
static int judge(uint64_t commits)
{
	uint64_t end = 0;
	for (int i = 0; i < THREADS; i++)
		end += *truth->commits[i];
	if (commits > end + THREADS) {
		printf("too many: %" PRIu64 " of %" PRIu64 "\n", commits, end);
		return 1;
	}
	printf("%" PRIu64 "\n", end > commits ? end - commits : 0);
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
	return argc != 3 || map(argv[1], O_CREAT | O_TRUNC) || start() || run((unsigned)strtoul(argv[2], NULL, 10));
}
