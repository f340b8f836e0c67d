/* SPDX-License-Identifier: MIT
 * Each process of a run leaves a recording of its own, PID-SERIAL, in a private directory. They are added up in the
 * place of the chosen one, which is renamed to FILE, after an older FILE has become FILE.old. Those that cannot be
 * added are renamed to FILE.PID. If another file was put at FILE meanwhile, that file stays, and the recording is
 * renamed to FILE.2 instead, or to the next such name that is free. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"
#include "memory.h"
#include "merge.h"
#include "record.h"
#include "recorded_account.h"
#include "recording.h"

struct find {
	char *name;
	bool is_snapshot;
	bool is_in_file; /* it is the chosen one, or was added to it */
};

/* The recordings that were found, by their names in order, and the chosen one, loaded. */
struct finds {
	struct find *at;
	size_t len, cap, chosen;
	bool has_own;               /* one has what is of its process alone, and a merge leaves out */
	struct recording recording; /* if none can be used: the last that was found, with its fault */
};

static uint64_t transactions_of(const struct recording *recording)
{
	struct recorded_account total = account_total(recording);
	return total.commits + total.aborts;
}

/* Whether the recording is of the program with which this process began, before exec(). */
static bool is_of(const char *name, const char *pid)
{
	size_t len = strlen(pid);
	return strncmp(name, pid, len) == 0 && strchr("-", name[len]) != NULL && strchr(name, '.') == NULL;
}

/* Whether this recording is chosen rather than those found before. */
static bool is_better(const struct finds *finds, const struct recording *recording, const char *name, const char *pid)
{
	if (finds->len == 0)
		return true;
	if (is_of(finds->at[finds->chosen].name, pid))
		return false;
	return is_of(name, pid) || transactions_of(recording) > transactions_of(&finds->recording);
}

static void finds_add(struct finds *finds, const char *directory, const char *name, const char *pid)
{
	char *path = memory_format("%s/%s", directory, name);
	struct recording found;
	bool is_usable = recording_load_untold(&found, path) == RECORDING_WHOLE;
	bool is_snapshot = found.info.snapshot != 0;
	finds->has_own |= is_usable && (found.has_timeline || found.block_count != 0);
	if (is_usable ? is_better(finds, &found, name, pid) : finds->len == 0) {
		struct recording before = finds->recording;
		finds->recording = found;
		finds->chosen = finds->len;
		found = before;
	}
	if (is_usable) {
		finds->at = memory_grown(finds->at, finds->len, &finds->cap, sizeof *finds->at);
		finds->at[finds->len++] = (struct find){memory_text(name), is_snapshot, false};
	}
	recording_fini(&found);
	free(path);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Numbers and bytes, so that the order is the same in each locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* In the order of names, so that the same run prints the same messages. The recording of the process is chosen, or else
 * that with most transactions. */
static struct finds find_all(const char *directory, pid_t pid)
{
	struct finds finds = {.len = 0};
	struct dirent **entries = NULL;
	char *number = memory_format("%ld", (long)pid);
	int count = scandir(directory, &entries, is_visible, compare_names);
	for (int i = 0; i < count; i++) {
		finds_add(&finds, directory, entries[i]->d_name, number);
		free(entries[i]);
	}
	free(entries);
	free(number);
	return finds;
}

/* ---- several processes ---- */

/* Returns false if it is of another runtime or clock. */
static bool add_process(struct merge *merge, const char *directory, const char *name)
{
	char *path = memory_format("%s/%s", directory, name);
	struct recording recording;
	bool is_added = recording_load_untold(&recording, path) == RECORDING_WHOLE;
	is_added = is_added && merge_add(merge, &recording) == NULL;
	recording_fini(&recording);
	free(path);
	return is_added;
}

/* Puts the sum in the place of the chosen recording, which may be another user's. Returns false, and prints why, if it
 * cannot be written. */
static bool save_sum(struct finds *finds, struct merge *merge, const char *directory)
{
	char *path = memory_format("%s/%s", directory, finds->at[finds->chosen].name);
	char *sum = memory_format("%s/sum", directory);
	bool is_saved = merge_save(merge, sum) && rename(sum, path) == 0;
	if (is_saved) {
		recording_fini(&finds->recording);
		recording_load_untold(&finds->recording, path);
	}
	free(sum);
	free(path);
	return is_saved;
}

/* Adds the others to the chosen one, which says whose run it is. A timeline and blocks of memory are of one process:
 * where there are any, all stay apart. */
static void add_up(struct finds *finds, const char *directory)
{
	struct merge merge;
	size_t added = 0;
	finds->at[finds->chosen].is_in_file = true;
	if (finds->len == 1 || finds->has_own)
		return;
	merge_init_run(&merge);
	merge_add(&merge, &finds->recording);
	for (size_t i = 0; i < finds->len; i++) {
		struct find *find = &finds->at[i];
		find->is_in_file = find->is_in_file || add_process(&merge, directory, find->name);
		added += find->is_in_file;
	}
	bool is_saved = added > 1 && save_sum(finds, &merge, directory);
	for (size_t i = 0; i < finds->len && !is_saved; i++)
		finds->at[i].is_in_file = i == finds->chosen;
	merge_fini(&merge);
}

/* ---- to where they belong ---- */

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
 * overwrite the older FILE. Its mode and its owner are those of the older FILE. */
static void keep_old(const char *file, const char *directory, const char *name)
{
	struct stat status;
	char *old = memory_format("%s.old", file), *from = memory_format("%s/%s", directory, name);
	if (stat(file, &status) == 0 && chown(from, status.st_uid, status.st_gid) == 0)
		chmod(from, status.st_mode & 0777);
	rename(file, old);
	free(from);
	free(old);
}

static void move_others(const struct finds *finds, const char *directory, const char *file)
{
	char *first = NULL;
	size_t others = 0;
	for (size_t i = 0; i < finds->len; i++) {
		const char *name = finds->at[i].name;
		if (finds->at[i].is_in_file)
			continue;
		char *to = record_free_name(file, name);
		bool is_moved = move(directory, name, to);
		others++;
		if (is_moved && first == NULL)
			first = to;
		else
			free(to);
	}
	if (first != NULL && others == 1)
		diag(file, "another process recorded too: %s", first);
	else if (first != NULL)
		diag(file, "%zu other processes recorded too: %s and so on", others, first);
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
		keep_old(file, directory->held, name);
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

static void print_chosen(const struct finds *finds, const char *file)
{
	const char *verb = finds->recording.process_count == 0 ? "is" : "has";
	for (size_t i = 0; i < finds->len; i++)
		if (finds->at[i].is_in_file && finds->at[i].is_snapshot)
			diag(file, "%s the last snapshot of process %.*s: what the process did afterwards is missing",
				verb, (int)strcspn(finds->at[i].name, "-"), finds->at[i].name);
	recording_tell_cut(&finds->recording, file);
}

char *record_collect(const struct record_directory *directory, pid_t pid, const char *file, struct recording *recording)
{
	record_board_unload(directory->board, directory->held);
	struct finds finds = find_all(directory->held, pid);
	char *where = NULL;
	if (finds.len > 0) {
		add_up(&finds, directory->held);
		where = move_chosen(directory, finds.at[finds.chosen].name, file);
		if (where != NULL)
			print_chosen(&finds, where);
		move_others(&finds, directory->held, file);
	}
	for (size_t i = 0; i < finds.len; i++)
		free(finds.at[i].name);
	free(finds.at);
	*recording = finds.recording;
	return where;
}
