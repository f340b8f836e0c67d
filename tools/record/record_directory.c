/* SPDX-License-Identifier: MIT
 * A private directory beside FILE, in which each process of a run leaves its recording. It is locked as long as its
 * recorder lives; so the next recorder knows the directories of those that were killed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "memory.h"
#include "record.h"
#include "recording.h"

/* mkdtemp() puts six letters or digits behind the dot. */
#define UNIQUE "XXXXXX"
#define UNIQUE_PATTERN "[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]"

/* ---- one of our own ---- */

static int lock(const char *path)
{
	int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
		close(file);
		file = -1;
	}
	return file;
}

bool record_directory_create(struct record_directory *directory, const char *file)
{
	struct stat status;
	*directory = (struct record_directory){.lock = -1};
	if (stat(file, &status) == 0 && !S_ISREG(status.st_mode)) {
		diag(file, "is no regular file; name another one with -o");
		return false;
	}
	char *made = memory_format("%s." UNIQUE, file);
	directory->path = mkdtemp(made) != NULL ? realpath(made, NULL) : NULL;
	if (directory->path == NULL) {
		diag(file, "cannot make a directory beside it: %s; name another FILE with -o", strerror(errno));
	} else {
		directory->lock = lock(directory->path);
		directory->board = record_board_create(directory->path);
	}
	free(made);
	return directory->path != NULL;
}

static void remove_all(const char *path)
{
	DIR *stream = opendir(path);
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL)
		unlinkat(dirfd(stream), entry->d_name, 0); /* "." and ".." stay: they are directories */
	if (stream != NULL)
		closedir(stream);
	rmdir(path);
}

void record_directory_destroy(struct record_directory *directory)
{
	remove_all(directory->path);
	record_board_release(&directory->board);
	if (directory->lock >= 0)
		close(directory->lock);
	free(directory->path);
	*directory = (struct record_directory){.lock = -1};
}

/* ---- those of others ---- */

/* A name that no file has: FILE.NAME, or FILE.NAME.2 and so on. Owned. */
static char *free_name(const char *file, const char *name)
{
	char *path = memory_format("%s.%s", file, name);
	for (unsigned n = 2; access(path, F_OK) == 0; n++) {
		free(path);
		path = memory_format("%s.%s.%u", file, name, n);
	}
	return path;
}

static bool is_whole(const char *path)
{
	struct recording recording;
	bool is_whole = recording_load(&recording, path) == RECORDING_WHOLE;
	recording_fini(&recording);
	return is_whole;
}

static void keep(const char *directory, const char *name, const char *file)
{
	char *from = memory_format("%s/%s", directory, name);
	if (is_whole(from)) {
		char *to = free_name(file, name);
		if (rename(from, to) == 0)
			diag(to, "is a recording that was found: the 'stmlog record' that made it was killed");
		free(to);
	}
	free(from);
}

static void keep_all(const char *directory, const char *file)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] != '.')
			keep(directory, entry->d_name, file);
	}
	if (stream != NULL)
		closedir(stream);
}

/* A directory without a board is none of ours. One whose recorder lives is locked. */
static void adopt_directory(const char *directory, const char *file)
{
	const struct stmlog_board *board = record_board_open(directory);
	int locked = board != NULL ? lock(directory) : -1;
	if (locked >= 0 && record_board_running(board) == 0) {
		keep_all(directory, file);
		remove_all(directory);
	}
	if (locked >= 0)
		close(locked);
	record_board_release(&board);
}

/* In a pattern of glob() these characters mean something. */
static char *escaped(const char *file)
{
	char *escaped = memory_zeroed(2 * strlen(file) + 1, 1), *to = escaped;
	for (; *file != '\0'; file++) {
		if (strchr("*?[]\\", *file) != NULL)
			*to++ = '\\';
		*to++ = *file;
	}
	return escaped;
}

void record_adopt(const char *file)
{
	char *begin = escaped(file);
	char *pattern = memory_format("%s." UNIQUE_PATTERN "/", begin);
	glob_t found;
	if (glob(pattern, GLOB_ONLYDIR, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			found.gl_pathv[i][strlen(found.gl_pathv[i]) - 1] = '\0'; /* the slash */
			adopt_directory(found.gl_pathv[i], file);
		}
		globfree(&found);
	}
	free(pattern);
	free(begin);
}
