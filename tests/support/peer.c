/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <stdlib.h>

static void *obey(void *argument)
{
	struct peer *peer = argument;
	for (;;) {
		sem_wait(&peer->told);
		if (peer->is_to_end)
			return NULL;
		peer->what(peer->arg);
		sem_post(&peer->done);
	}
}

void peer_start(struct peer *peer)
{
	peer->is_to_end = false;
	sem_init(&peer->told, 0, 0);
	sem_init(&peer->done, 0, 0);
	if (pthread_create(&peer->thread, NULL, obey, peer) != 0)
		abort();
}

void peer_do(struct peer *peer, void (*what)(void *arg), void *arg)
{
	peer->what = what;
	peer->arg = arg;
	sem_post(&peer->told);
	sem_wait(&peer->done);
}

void peer_end(struct peer *peer)
{
	peer->is_to_end = true;
	sem_post(&peer->told);
	pthread_join(peer->thread, NULL);
	sem_destroy(&peer->told);
	sem_destroy(&peer->done);
}

void run_in_thread(void *(*function)(void *), void *arg)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, function, arg) != 0)
		abort();
	pthread_join(thread, NULL);
}
