/* SPDX-License-Identifier: MIT
 *
 * Another thread that does what it is told, one thing at a time, while the test waits:
 * so two threads take turns in an order that the test chooses. */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct peer {
	pthread_t thread;
	sem_t told, done;
	void (*what)(void *arg);
	void *arg;
	bool is_to_end;
};

void peer_start(struct peer *peer);

/* Has the peer's thread call what(arg), and returns when it has. */
void peer_do(struct peer *peer, void (*what)(void *arg), void *arg);

/* Ends the thread and waits for its end. */
void peer_end(struct peer *peer);

/* Runs the function in a thread of its own, and waits for its end. */
void run_in_thread(void *(*function)(void *), void *arg);

#endif
