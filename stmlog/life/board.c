/* SPDX-License-Identifier: MIT
 * What `record` has prepared for a run: opens its private directory, and maps the board's file, claims a row by
 * compare-and-swap, and writes notes into it. */
#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "session.h"

_Static_assert(sizeof(struct stmlog_board) == 4096, "the board is one page");

/* ---- the directory of the run ---- */

static bool is_of_run(int directory)
{
	struct stat status;
	char *behind;
	const char *wanted = options_get(&session.run, "in");
	if (wanted == NULL)
		return true;
	unsigned long long device = strtoull(wanted, &behind, 10);
	unsigned long long number = *behind == '.' ? strtoull(behind + 1, NULL, 10) : 0;
	return fstat(directory, &status) == 0 && status.st_dev == device && status.st_ino == number;
}

int run_directory_open(const char *path)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash != NULL ? (size_t)(slash - path) : 0;
	if (len == 0 || len >= sizeof parent)
		return -EINVAL;
	memcpy(parent, path, len);
	parent[len] = '\0';
	int directory = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return errno == ENOTDIR || errno == ELOOP ? -ENOENT : -errno;
	if (is_of_run(directory))
		return directory;
	close(directory);
	return -ENOENT;
}

/* ---- the board ---- */

static struct stmlog_board *board; /* NULL: none */
static struct stmlog_board_row *row;

/* The process's last recordings on the board: one stays whole while the next is written. Under the lock of outputs.c.
 */
static struct kept {
	uint64_t at, size; /* 0: there is none yet */
} kept[2];

/* Returns a descriptor, negative: there is none. A program that has been started by exec() without the right to open
 * the file, or under another root, has inherited a descriptor of it, unless that was closed; board_open() looks whether
 * the number belongs to another file now. */
static int open_file(const char *path)
{
	int directory = run_directory_open(path);
	int file = directory >= 0
			   ? openat(directory, strrchr(path, '/') + 1, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
			   : -1;
	if (directory >= 0)
		close(directory);
	const char *inherited = options_get(&session.run, "inherited");
	return file < 0 && inherited != NULL ? fcntl(atoi(inherited), F_DUPFD_CLOEXEC, 0) : file;
}

static struct stmlog_board *map(const char *path)
{
	struct stat status;
	struct stmlog_board *mapped = MAP_FAILED;
	int file = open_file(path);
	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof *mapped)
		mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	return mapped != MAP_FAILED ? mapped : NULL;
}

/* Claims the row for the process if it is free. Returns whether the row belongs to the process. */
static bool claim(struct stmlog_board_row *wanted, uint64_t pid)
{
	uint64_t found = 0;
	return __atomic_compare_exchange_n(&wanted->pid, &found, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	       found == pid;
}

/* The number of this process on the board. Requires a board. */
static uint64_t own_pid(void)
{
	struct stat status;
	REQUIRES(board != NULL);
	bool is_known = board->pid_namespace != 0 && stat("/proc/self/ns/pid", &status) == 0;
	uint64_t namespace = is_known && status.st_ino != board->pid_namespace ? status.st_ino : 0;
	return namespace << 32 | (uint64_t)session.pid;
}

/* A process that calls exec() keeps its row. */
static struct stmlog_board_row *board_row_of(uint64_t pid)
{
	for (size_t i = 0; i < STMLOG_BOARD_ROWS; i++)
		if (claim(&board->rows[i], pid))
			return &board->rows[i];
	return NULL;
}

static bool is_parents; /* the row belongs to the parent */

static void claim_row(void)
{
	row = board != NULL ? board_row_of(own_pid()) : NULL;
	memset(kept, 0, sizeof kept);
	session.serial = board != NULL ? __atomic_add_fetch(&board->serials, 1, __ATOMIC_RELAXED) : 0;
	board_note(STMLOG_BOARD_NOTHING, 0);
}

static void leave_board(void)
{
	if (board != NULL)
		munmap(board, sizeof *board);
	board = NULL;
}

void board_open(void)
{
	const char *path = options_get(&session.run, "board");
	leave_board();
	board = path != NULL ? map(path) : NULL;
	if (board != NULL && memcmp(board->magic, STMLOG_BOARD_MAGIC, sizeof board->magic) != 0)
		leave_board();
	claim_row();
}

void board_fork_child(bool has_number)
{
	is_parents = !has_number;
	if (has_number)
		claim_row();
}

void board_note_filtered(void)
{
	if (row != NULL)
		__atomic_fetch_add(&row->filtered, 1, __ATOMIC_RELAXED);
}

static bool is_empty(void)
{
	return row != NULL && !is_parents && (row->state == STMLOG_BOARD_NOTHING || row->state == STMLOG_BOARD_REFUSED);
}

void board_note_refused(void)
{
	if (is_empty())
		row->state = STMLOG_BOARD_REFUSED;
}

void board_note_begun(void)
{
	if (is_empty())
		row->state = STMLOG_BOARD_BEGUN;
}

void board_note(enum stmlog_board_state state, int error)
{
	if (row == NULL || is_parents)
		return;
	row->error = (uint64_t)-error;
	/* Release; partner: the acquiring load of `record`, which then reads `error`. */
	__atomic_store_n(&row->state, error != 0 ? STMLOG_BOARD_FAILED : state, __ATOMIC_RELEASE);
}

/* Release; partner: record_board_await(), which then sees all that the watcher has written. */
static bool set_watcher(struct stmlog_board_row *own, uint64_t before, uint64_t watcher)
{
	return __atomic_compare_exchange_n(&own->watcher, &before, watcher, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* The process has another row for the watcher that a program has left with exec(), while that one is at work. */
void board_note_watcher(pid_t watcher)
{
	for (size_t i = 0; row != NULL && !is_parents && i < STMLOG_BOARD_ROWS; i++)
		if (claim(&board->rows[i], row->pid) && set_watcher(&board->rows[i], 0, (uint64_t)watcher))
			return;
}

void board_forget_watcher(pid_t watcher)
{
	for (size_t i = 0; row != NULL && !is_parents && i < STMLOG_BOARD_ROWS; i++)
		if (set_watcher(&board->rows[i], (uint64_t)watcher, 0))
			return;
}

/* ---- recordings on the board ---- */

bool board_is_over(void)
{
	return board == NULL || board->is_over != 0;
}

/* Exchanges the two. Makes the first one twice as large as necessary: the next recordings of the process have more. */
static void take_room(uint64_t bytes)
{
	enum { PAGE = 4096 };
	const struct kept before = kept[0];
	kept[0] = kept[1];
	kept[1] = before;
	if (kept[0].size >= bytes)
		return;
	kept[0].size = (2 * bytes + PAGE - 1) / PAGE * PAGE;
	kept[0].at = __atomic_fetch_add(&board->used, kept[0].size, __ATOMIC_RELAXED);
}

/* `view` is the board up to the end of the process's recordings. Where the disk is full, a store would kill the
 * process, so the kernel is asked for the pages first. */
static int write_kept(char *view, const struct sections *sections, uint64_t bytes)
{
	struct stmlog_board_kept *now = (void *)(view + kept[0].at), *before = (void *)(view + kept[1].at);
	if (madvise(now, bytes, MADV_POPULATE_WRITE) != 0)
		return errno == EFAULT ? -ENOSPC : -errno;
	*now = (struct stmlog_board_kept){.magic = STMLOG_BOARD_KEPT_MAGIC,
		.size = kept[0].size,
		.pid = (uint64_t)session.pid,
		.serial = session.serial,
		.generation = session.generation};
	uint64_t len = sections_record_into(sections, (char *)(now + 1), bytes - sizeof *now);
	__atomic_store_n(&now->len, len, __ATOMIC_RELEASE); /* partner: record_board_unload() */
	if (kept[1].size != 0)
		before->len = 0;
	return 0;
}

int board_keep(const struct sections *sections)
{
	if (board_is_over())
		return -ENOENT;
	uint64_t bytes = sizeof(struct stmlog_board_kept) + sections_record_into(sections, NULL, 0);
	take_room(bytes);
	uint64_t one = kept[0].at + kept[0].size, other = kept[1].at + kept[1].size, end = one > other ? one : other;
	if (end > board->size)
		return -ENOSPC;
	char *view = mremap(board, 0, end, MREMAP_MAYMOVE); /* a second mapping */
	if (view == MAP_FAILED)
		return -errno;
	int error = write_kept(view, sections, bytes);
	munmap(view, end);
	return error;
}
