/* SPDX-License-Identifier: MIT
 * The recorder's side of the board (stmlog/board.h). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "record.h"

#define NAME ".board"

char *record_board_path(const char *directory)
{
	return memory_format("%s/" NAME, directory);
}

static const struct stmlog_board *map(int file)
{
	struct stat status;
	const struct stmlog_board *board = MAP_FAILED;
	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof *board)
		board = mmap(NULL, sizeof *board, PROT_READ, MAP_SHARED, file, 0);
	close(file);
	return board != MAP_FAILED ? board : NULL;
}

const struct stmlog_board *record_board_create(int directory)
{
	struct stmlog_board empty = {.magic = STMLOG_BOARD_MAGIC};
	int file = openat(directory, NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file >= 0 && write(file, &empty, sizeof empty) != (ssize_t)sizeof empty) {
		close(file);
		return NULL;
	}
	return map(file);
}

const struct stmlog_board *record_board_open(int directory)
{
	const struct stmlog_board *board = map(openat(directory, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (board != NULL && memcmp(board->magic, STMLOG_BOARD_MAGIC, sizeof board->magic) != 0)
		record_board_release(&board);
	return board;
}

void record_board_release(const struct stmlog_board **board)
{
	if (*board != NULL)
		munmap((void *)(uintptr_t)*board, sizeof **board);
	*board = NULL;
}

/* ---- processes ---- */

/* Whether the process has ended, and only its parent has not asked for its status yet. */
static bool is_zombie(pid_t pid)
{
	char text[512];
	char *path = memory_format("/proc/%ld/stat", (long)pid);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = file >= 0 ? read(file, text, sizeof text - 1) : -1;
	free(path);
	if (file >= 0)
		close(file);
	text[len > 0 ? len : 0] = '\0';
	const char *behind_name = strrchr(text, ')');
	return behind_name != NULL && (behind_name[2] == 'Z' || behind_name[2] == 'X');
}

static bool is_running(uint64_t pid)
{
	if (pid == 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
		return false;
	return !is_zombie((pid_t)pid);
}

/* Its recording is still to be written, or to be written again. */
static bool is_busy(uint64_t state)
{
	return state == STMLOG_BOARD_BEGUN || state == STMLOG_BOARD_SNAPSHOT;
}

pid_t record_board_running(const struct stmlog_board *board)
{
	for (size_t i = 0; board != NULL && i < STMLOG_BOARD_ROWS; i++) {
		const struct stmlog_board_row *row = &board->rows[i];
		if (is_busy(row->state) && is_running(row->pid))
			return (pid_t)row->pid;
	}
	return 0;
}

/* Its recording is being made. */
static bool is_awaited(const struct stmlog_board_row *row)
{
	uint64_t watcher = __atomic_load_n(&row->watcher, __ATOMIC_ACQUIRE); /* partner: board_forget_watcher() */
	return watcher != 0 && is_running(watcher) && !is_running(row->pid);
}

void record_board_await(const struct stmlog_board *board)
{
	static const struct timespec nap = {0, 1000000};
	enum { NAPS = 60000 };
	int naps = 0;
	for (size_t i = 0; board != NULL && i < STMLOG_BOARD_ROWS; i++)
		for (; is_awaited(&board->rows[i]) && naps < NAPS; naps++)
			nanosleep(&nap, NULL);
}

uint64_t record_board_filtered(const struct stmlog_board *board)
{
	uint64_t filtered = 0;
	for (size_t i = 0; board != NULL && i < STMLOG_BOARD_ROWS; i++)
		filtered += board->rows[i].filtered;
	return filtered;
}

char *record_board_why(const struct stmlog_board *board, int signal)
{
	for (size_t i = 0; board != NULL && i < STMLOG_BOARD_ROWS; i++) {
		const struct stmlog_board_row *row = &board->rows[i];
		if (row->pid == 0)
			continue;
		/* Acquire; partner: the process's releasing store, before which it has stored `error`. */
		uint64_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
		if (state == STMLOG_BOARD_FAILED)
			return memory_format("process %ld could not write its recording: %s", (long)row->pid,
				strerror((int)row->error));
	}
	if (signal != 0)
		return memory_format("signal %d (%s) ended it before it could write", signal, strsignal(signal));
	return NULL;
}

bool record_board_has_begun(const struct stmlog_board *board)
{
	for (size_t i = 0; board != NULL && i < STMLOG_BOARD_ROWS; i++)
		if (board->rows[i].pid != 0 && is_busy(board->rows[i].state))
			return true;
	return false;
}
