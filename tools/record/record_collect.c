/* SPDX-License-Identifier: MIT
 * Each process of a run leaves a recording of its own in a private directory. One of them is renamed to FILE, after an
 * older FILE has become FILE.old; the others are renamed to FILE.PID. If another file was put at FILE meanwhile, that
 * file stays, and the recording is renamed to FILE.2 instead, or to the next such name that is free. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "diag.h"
#include "memory.h"
#include "record.h"
#include "recorded_account.h"
#include "recording.h"

/* A recording that was found. */
struct find {
	char *name;
	uint64_t transactions;
	bool is_snapshot;
};

struct finds {
	struct find *at;
	size_t len, cap;
	char *fault; /* of the last one that cannot be used; NULL: all can */
};

static void add(struct finds *finds, const char *directory, const char *name)
{
	char *path = memory_format("%s/%s", directory, name);
	struct recording recording;
	if (recording_load(&recording, path) == RECORDING_WHOLE) {
		struct recorded_account total = account_total(&recording);
		finds->at = memory_grown(finds->at, finds->len, &finds->cap, sizeof *finds->at);
		finds->at[finds->len++] =
			(struct find){memory_text(name), total.commits + total.aborts, recording.info.snapshot != 0};
	} else {
		free(finds->fault);
		finds->fault = memory_text(recording.fault);
	}
	recording_fini(&recording);
	free(path);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct find *)a)->name, ((const struct find *)b)->name);
}

/* In the order of names, so that the same run prints the same messages. */
static struct finds find_all(const char *directory)
{
	struct finds finds = {.len = 0};
	DIR *stream = opendir(directory);
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] != '.')
			add(&finds, directory, entry->d_name);
	}
	if (stream != NULL)
		closedir(stream);
	if (finds.len > 0)
		qsort(finds.at, finds.len, sizeof *finds.at, compare_names);
	return finds;
}

/* Requires finds->len > 0. */
static size_t choose(const struct finds *finds, pid_t pid)
{
	char name[24];
	REQUIRES(finds->len > 0);
	snprintf(name, sizeof name, "%ld", (long)pid);
	size_t max = 0;
	for (size_t i = 0; i < finds->len; i++) {
		if (strcmp(finds->at[i].name, name) == 0)
			return i;
		if (finds->at[i].transactions > finds->at[max].transactions)
			max = i;
	}
	return max;
}

static bool move(const char *directory, const char *name, const char *to)
{
	char *from = memory_format("%s/%s", directory, name);
	bool is_moved = rename(from, to) == 0;
	if (!is_moved)
		diag(to, "cannot be written: %s; name another FILE with -o", strerror(errno));
	free(from);
	return is_moved;
}

/* Renames an older FILE to FILE.old, which overwrites the FILE.old before. If that fails, the new recording will
 * overwrite the older FILE. */
static void keep_old(const char *file)
{
	char *old = memory_format("%s.old", file);
	rename(file, old);
	free(old);
}

static void move_others(const struct finds *finds, size_t chosen, const char *directory, const char *file)
{
	char *first = NULL;
	for (size_t i = 0; i < finds->len; i++) {
		if (i == chosen)
			continue;
		char *to = memory_format("%s.%s", file, finds->at[i].name);
		bool is_moved = move(directory, finds->at[i].name, to);
		if (is_moved && first == NULL)
			first = to;
		else
			free(to);
	}
	if (first != NULL && finds->len == 2)
		diag(file, "another process recorded too: %s", first);
	else if (first != NULL)
		diag(file, "%zu other processes recorded too: %s and so on", finds->len - 1, first);
	free(first);
}

/* Locks the directory of FILE, so that other recorders wait until the returned descriptor is closed. If somebody else
 * holds the lock for more than a second, or if -1 is returned, the others do not wait. */
static int hold_others_up(const struct record_directory *directory)
{
	static const struct timespec nap = {0, 10000000};
	enum { NAPS = 100 };
	int parent = openat(directory->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int naps = 0; parent >= 0 && naps < NAPS && flock(parent, LOCK_EX | LOCK_NB) != 0; naps++)
		nanosleep(&nap, NULL);
	return parent;
}

/* Moves the recording to FILE, or beside it. Returns its new path, owned; NULL: it could not be moved. */
static char *move_chosen(const struct record_directory *directory, const char *name, const char *file)
{
	int parent = hold_others_up(directory);
	bool is_overtaken = record_directory_is_overtaken(directory, file);
	char *to = is_overtaken ? record_free_name(file, NULL) : memory_text(file);
	if (!is_overtaken)
		keep_old(file);
	bool is_moved = move(directory->held, name, to);
	if (parent >= 0)
		close(parent);
	if (is_moved && is_overtaken)
		diag(to, "has the recording, because another one was put at %s meanwhile", file);
	if (is_moved)
		return to;
	free(to);
	return NULL;
}

static void print_snapshot(const struct find *find, const char *file)
{
	if (find->is_snapshot)
		diag(file, "is the last snapshot of process %s: what the process did afterwards is missing",
			find->name);
}

char *record_collect(const struct record_directory *directory, pid_t pid, const char *file, char **fault)
{
	struct finds finds = find_all(directory->held);
	char *where = NULL;
	*fault = NULL;
	if (finds.len > 0) {
		size_t chosen = choose(&finds, pid);
		where = move_chosen(directory, finds.at[chosen].name, file);
		if (where != NULL)
			print_snapshot(&finds.at[chosen], where);
		move_others(&finds, chosen, directory->held, file);
	} else {
		*fault = finds.fault;
		finds.fault = NULL;
	}
	for (size_t i = 0; i < finds.len; i++)
		free(finds.at[i].name);
	free(finds.at);
	free(finds.fault);
	return where;
}
