/* SPDX-License-Identifier: MIT
 * Runs streams of transactions again, by the program stmlog-replay, which does it on this machine, with the libitm that
 * the loader finds.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdbool.h>

#include "streams.h"

/* What is needed for it. */
struct replayer {
	char *program;     /* the path of stmlog-replay; owned. NULL: it is not installed */
	int memory;        /* a file without a name, which the program reads; -1: none */
	char *file;        /* its path for that; owned */
	double line_ns;    /* how near the processors are to be to each other (line_transfer.h); 0: as they are */
	unsigned repeats;  /* so many runs may still be made again */
	double patience_s; /* so long may still be waited until the processors are so near */
	bool is_elsewhere; /* they are not, and a run was made all the same */
};

/* `patience_s`: so long, in all, it may wait. Returns false if something is missing: then nothing can be replayed. Call
 * replayer_fini() in any case. */
bool replayer_init(struct replayer *replayer, double patience_s);
void replayer_fini(struct replayer *replayer);

struct replayed {
	double commits_per_s; /* 0: it has failed */
	double attempts_per_commit;
};

/* Runs them for so long, by a method of libitm's (ITM_DEFAULT_METHOD; NULL: libitm's default). A run from which other
 * programs have taken the processors, or whose processors the host has moved, is made again, as long as the replayer
 * has repeats left. */
struct replayed replay(struct replayer *replayer, const struct streams *streams, const char *method, double seconds);

#endif
