/* SPDX-License-Identifier: MIT
 * Finds out that the process is a forked child, by words that the kernel clears there or by a fork handler. */
#include "forks.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

volatile AO_t forks_words[4096 / sizeof(AO_t)] __attribute__((aligned(4096)));
static volatile AO_t functions[FORKS_PARTS]; /* void (*)(void); 0: not watched yet */
static bool are_cleared;                     /* by the kernel */

/* Looks again: perhaps the part was not watched yet. Then stores the word, since beginning the part anew uses the part.
 * The child has one thread. */
__attribute__((cold)) void forks_begin_anew(enum fork_part part)
{
	int saved = errno;
	void (*begin_anew)(void) = (void (*)(void))AO_load_acquire(&functions[part]); /* partner: forks_watch() */
	if (begin_anew == NULL || AO_load(&forks_words[part]) != 0)
		return;
	AO_store(&forks_words[part], 1);
	begin_anew();
	errno = saved;
}

static void after_fork_in_child(void)
{
	for (enum fork_part part = 0; part < FORKS_PARTS; part++) {
		if (!are_cleared)
			AO_store(&forks_words[part], 0);
		forks_look(part);
	}
}

static void prepare(void)
{
	are_cleared = madvise((void *)forks_words, sizeof forks_words, MADV_WIPEONFORK) == 0;
	(void)pthread_atfork(NULL, NULL, after_fork_in_child); /* without memory fork() is likely to fail, too */
}

void forks_watch(enum fork_part part, void (*begin_anew)(void))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;
	pthread_once(&once, prepare);
	if (AO_load(&functions[part]) == 0) {
		AO_store(&forks_words[part], 1);
		AO_store_release(&functions[part], (AO_t)begin_anew); /* partner: forks_begin_anew() */
	}
	errno = saved;
}
