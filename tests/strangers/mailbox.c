/* SPDX-License-Identifier: MIT
 *
 * Mailboxes: one thread sends a letter now and then, the other one waits for letters and answers them.
 */
#include "crew.h"

enum { LETTERS = 64, THREADS = CREW_THREADS(2) };

static struct {
	_Alignas(128) long first, len;
	long letters[LETTERS];
} inbox;
static struct {
	_Alignas(128) long answered, last;
} archive;
static _Alignas(128) pthread_mutex_t bell_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static bool has_rung;

static void ring(void)
{
	pthread_mutex_lock(&bell_lock);
	has_rung = true;
	pthread_cond_signal(&bell);
	pthread_mutex_unlock(&bell_lock);
}

static void wait_for_bell(void)
{
	pthread_mutex_lock(&bell_lock);
	while (!has_rung && is_open())
		pthread_cond_wait(&bell, &bell_lock);
	has_rung = false;
	pthread_mutex_unlock(&bell_lock);
}

static void send(long letter)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (inbox.len < LETTERS) {
			inbox.letters[(inbox.first + inbox.len) % LETTERS] = letter;
			inbox.len++;
		}
		stamp_last();
	}
	stamp_after();
}

/* Returns whether there was a letter. */
static bool receive(long *letter)
{
	bool is_there = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		*letter = inbox.letters[inbox.first];
		if (inbox.len == 0)
			__transaction_cancel;
		inbox.first = (inbox.first + 1) % LETTERS;
		inbox.len--;
		is_there = true;
		stamp_last();
	}
	stamp_after();
	return is_there;
}

static void answer(long letter)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		archive.answered++;
		archive.last = letter;
		stamp_last();
	}
	stamp_after();
}

static void write_letters(struct member *me)
{
	while (is_open()) {
		usleep(200);
		send((long)member_random(me, 1000));
		ring();
	}
	pthread_mutex_lock(&bell_lock);
	pthread_cond_broadcast(&bell);
	pthread_mutex_unlock(&bell_lock);
}

static void read_letters(void)
{
	while (is_open()) {
		long letter;
		if (receive(&letter))
			answer(letter);
#ifdef FIXED
		else
			wait_for_bell();
#endif
	}
}

static void correspond(struct member *me)
{
	if (me->number == 0)
		write_letters(me);
	else
		read_letters();
}

int main(int argc, char **argv)
{
	(void)wait_for_bell;
	return crew_run(argc, argv, THREADS, correspond);
}
