/* SPDX-License-Identifier: MIT
 *
 * The board: a file of one page, which each process of a recorded run maps into its memory. There the process notes
 * the state of its recording. So `record` knows that state even if the process was killed, may not write files any
 * more, or still runs. `record` makes the file; STMLOG_RUN has its path, and the number of a descriptor of it that the
 * processes inherit.
 *
 * Behind that page the file has room for recordings of processes that may not write files: they map it by mremap(), for
 * which a process needs no right and no descriptor. The room has no blocks on the disk until it is used.
 *
 * All fields are little-endian. A row belongs to the process that has put its number there; only that process changes
 * the rest of it, except `filtered`. Several processes may have had one number, so recordings have serial numbers, too.
 */
#ifndef STMLOG_BOARD_H
#define STMLOG_BOARD_H

#include <stdint.h>

#define STMLOG_BOARD_MAGIC "STMBOARD"
#define STMLOG_BOARD_ROWS 101

/* The state of a recording. */
enum stmlog_board_state {
	STMLOG_BOARD_NOTHING,  /* nothing was to be recorded yet */
	STMLOG_BOARD_BEGUN,    /* there is something to be recorded, and nothing was written yet */
	STMLOG_BOARD_SNAPSHOT, /* was written while the process went on */
	STMLOG_BOARD_WRITTEN,
	STMLOG_BOARD_FAILED,  /* could not be written */
	STMLOG_BOARD_REFUSED, /* the runtime cannot record the process, and has said so (stmlog_refused()) */
};

struct stmlog_board_row {
	/* Its number. If that is of another PID namespace than `record`'s, the upper half is the inode number of the
	 * namespace. 0: the row is free. */
	volatile uint64_t pid;
	volatile uint64_t state; /* enum stmlog_board_state */
	volatile uint64_t error; /* an errno, with STMLOG_BOARD_FAILED */
	/* Recordings of the process and of forked children that were not written, because a filter of system calls
	 * might have killed them for that (stmlog_before_filter()). Such a child does not know its number, and has no
	 * row. */
	volatile uint64_t filtered;
	/* The process that makes the recording when the row's process has ended; 0: there is none, or it has made the
	 * recording. If the row's process has called exec(), and the watcher from before is still at work, the next
	 * watcher is in a further row. */
	volatile uint64_t watcher;
};

struct stmlog_board {
	char magic[8];
	uint64_t pid_namespace;    /* of `record`: its inode number; 0: not known */
	volatile uint64_t serials; /* how many serial numbers were taken */
	uint64_t size;             /* bytes of the file */
	volatile uint64_t used;    /* so many of them are rows, or were given to processes */
	volatile uint64_t is_over; /* 1: `record` has ended, and takes no recording any more */
	uint64_t reserved[1];
	struct stmlog_board_row rows[STMLOG_BOARD_ROWS];
};

/* Stands at the beginning of a page before each recording. */
#define STMLOG_BOARD_KEPT_MAGIC "STMKEPT\n"
struct stmlog_board_kept {
	char magic[8];
	uint64_t size; /* whole pages, with this */
	uint64_t pid, serial, generation;
	volatile uint64_t len; /* of the recording; 0: it is not whole, or there is a newer one */
};

#endif
