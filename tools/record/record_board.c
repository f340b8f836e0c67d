/* SPDX-License-Identifier: MIT
 * The recorder's side of the board (stmlog/board.h). */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "proc.h"
#include "record.h"

#define NAME ".board"

/* Room for recordings. A larger file would take long where the file system has no holes. */
#define KEPT_MAX (UINT64_C(256) << 20)

char *record_board_path(const char *directory)
{
	return memory_format("%s/" NAME, directory);
}

/* The present content. The file is not mapped, for a look behind the end of a file that was cut off kills. */
static struct stmlog_board board_look(int board)
{
	struct stmlog_board now = {.magic = ""};
	if (board >= 0 && pread(board, &now, sizeof now, 0) < 0)
		memset(&now, 0, sizeof now);
	return now;
}

int record_board_create(int directory)
{
	struct stat status;
	struct stmlog_board empty = {.magic = STMLOG_BOARD_MAGIC};
	empty.pid_namespace = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
	int file = openat(directory, NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	empty.size = file >= 0 && ftruncate(file, KEPT_MAX) == 0 ? KEPT_MAX : sizeof empty;
	empty.used = sizeof empty;
	bool is_made = file >= 0 && write(file, &empty, sizeof empty) == (ssize_t)sizeof empty;
	int inherited = is_made ? fcntl(file, F_DUPFD_CLOEXEC, RECORD_BOARD_INHERITED) : -1;
	if (is_made && inherited < 0)
		return file;
	if (file >= 0)
		close(file);
	return inherited;
}

int record_board_open(int directory)
{
	struct stmlog_board now;
	int file = openat(directory, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 || (pread(file, &now, sizeof now, 0) == (ssize_t)sizeof now &&
				memcmp(now.magic, STMLOG_BOARD_MAGIC, sizeof now.magic) == 0))
		return file;
	close(file);
	return -1;
}

/* ---- processes ---- */

/* Its number in its own namespace, the last one of the line; 0: not known. */
static uint32_t inner_pid(long pid)
{
	char line[256];
	uint32_t inner = 0;
	char *path = memory_format("/proc/%ld/status", pid);
	FILE *file = fopen(path, "re");
	while (file != NULL && inner == 0 && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "NSpid:\t", 7) == 0)
			inner = (uint32_t)strtoul(strrchr(line, '\t'), NULL, 10);
	if (file != NULL)
		fclose(file);
	free(path);
	return inner;
}

/* Not for a process that has ended, of which only the parent has not asked for the status yet. */
static bool is_alive(long pid)
{
	struct process_stat stat = process_stat_read((pid_t)pid);
	return process_stat_state(&stat) != 'Z' && process_stat_state(&stat) != 'X';
}

/* Whether a process with this number runs in that PID namespace, by a search of all processes. */
static bool is_running_in(uint64_t namespace, uint32_t pid)
{
	bool is_found = false;
	glob_t all = {.gl_pathc = 0};
	glob("/proc/[0-9]*/ns/pid", GLOB_NOSORT, NULL, &all);
	for (size_t i = 0; i < all.gl_pathc && !is_found; i++) {
		struct stat found;
		long outer = strtol(all.gl_pathv[i] + strlen("/proc/"), NULL, 10);
		if (stat(all.gl_pathv[i], &found) == 0 && found.st_ino == namespace)
			is_found = inner_pid(outer) == pid && is_alive(outer);
	}
	globfree(&all);
	return is_found;
}

/* `process`: the word `pid` of a row. */
static bool is_running(uint64_t process)
{
	uint32_t pid = (uint32_t)process;
	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (process != pid)
		return is_running_in(process >> 32, pid);
	return (kill((pid_t)pid, 0) == 0 || errno == EPERM) && is_alive((long)pid);
}

/* The half of the word `pid` that is not the number. */
#define NAMESPACE (UINT64_MAX << 32)

struct record_board_summary record_board_sum_up(int board)
{
	struct record_board_summary sum = {.running = 0};
	struct stmlog_board now = board_look(board);
	for (const struct stmlog_board_row *row = now.rows; row < now.rows + STMLOG_BOARD_ROWS; row++) {
		bool has_begun = row->state == STMLOG_BOARD_BEGUN || row->state == STMLOG_BOARD_SNAPSHOT;
		sum.filtered += row->filtered;
		if (row->pid == 0)
			continue;
		if (sum.failed == 0 && row->state == STMLOG_BOARD_FAILED) {
			sum.failed = (long)(row->pid & ~NAMESPACE);
			sum.error = (int)row->error;
		}
		if (sum.running == 0 && has_begun && is_running(row->pid))
			sum.running = (pid_t)(uint32_t)row->pid;
		sum.has_begun |= has_begun;
		sum.is_refused |= row->state == STMLOG_BOARD_REFUSED;
	}
	return sum;
}

char *record_board_why(const struct record_board_summary *sum, int signal)
{
	if (sum->failed != 0)
		return memory_format(
			"process %ld could not write its recording: %s", sum->failed, strerror(sum->error));
	if (signal != 0)
		return memory_format("signal %d (%s) ended it before it could write", signal, strsignal(signal));
	return sum->has_begun ? memory_text("it ended before its recording could be written") : NULL;
}

/* Whether a recording is being made. */
static bool is_any_awaited(const struct stmlog_board *now)
{
	for (size_t i = 0; i < STMLOG_BOARD_ROWS; i++) {
		uint64_t process = now->rows[i].pid, watcher = now->rows[i].watcher;
		if (watcher <= INT32_MAX && is_running((process & NAMESPACE) | watcher) && !is_running(process))
			return true;
	}
	return false;
}

/* A recording is whole when its watcher has removed its number: board_forget_watcher(). */
void record_board_await(int board)
{
	static const struct timespec nap = {0, 1000000};
	time_t end = time(NULL) + 60;
	while (time(NULL) <= end) {
		struct stmlog_board now = board_look(board);
		if (!is_any_awaited(&now))
			return;
		nanosleep(&nap, NULL);
	}
}

void record_board_end(int board)
{
	static const uint64_t is_over = 1;
	ssize_t ignored = pwrite(board, &is_over, sizeof is_over, offsetof(struct stmlog_board, is_over));
	(void)ignored;
}

/* ---- recordings on the board ---- */

static bool read_kept(int file, off_t at, struct stmlog_board_kept *kept)
{
	return pread(file, kept, sizeof *kept, at) == (ssize_t)sizeof *kept &&
	       memcmp(kept->magic, STMLOG_BOARD_KEPT_MAGIC, sizeof kept->magic) == 0;
}

/* Copies a recording into a file of the name that the process would have given to it. The file is removed if the
 * process has written to the recording meanwhile. */
static void unload(int file, off_t at, const struct stmlog_board_kept *kept, const char *directory)
{
	char *generation = kept->generation != 0 ? memory_format(".%ju", (uintmax_t)kept->generation) : memory_text("");
	char *path =
		memory_format("%s/%ju-%ju%s", directory, (uintmax_t)kept->pid, (uintmax_t)kept->serial, generation);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	struct stmlog_board_kept now;
	off_t from = at + (off_t)sizeof now, end = from + (off_t)kept->len;
	while (to >= 0 && from < end && sendfile(to, file, &from, (size_t)(end - from)) > 0)
		continue;
	if (to >= 0 && (!read_kept(file, at, &now) || now.len != kept->len))
		unlink(path);
	if (to >= 0)
		close(to);
	free(path);
	free(generation);
}

void record_board_unload(int board, const char *directory)
{
	enum { PAGE = 4096 };
	struct stat status;
	struct stmlog_board_kept kept;
	struct stmlog_board now = board_look(board);
	if (fstat(board, &status) != 0)
		return;
	uint64_t file = (uint64_t)status.st_size, end = now.used < file ? now.used : file, step;
	for (uint64_t at = sizeof now; at < end; at += step) {
		step = PAGE;
		if (!read_kept(board, (off_t)at, &kept) || kept.size > end - at || kept.len > kept.size)
			continue;
		if (kept.len != 0)
			unload(board, (off_t)at, &kept, directory);
		step = kept.size > PAGE ? kept.size / PAGE * PAGE : PAGE;
	}
}
