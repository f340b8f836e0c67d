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

/* Returns a descriptor, -1 if the directory is not one that this user has made. From then on it is used by the
 * descriptor alone: somebody may put another directory in its place. */
static int open_own(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Not all file systems have locks. Without one the next recorder leaves the directory alone. */
static bool lock(int directory)
{
	return flock(directory, LOCK_EX | LOCK_NB) == 0;
}

/* The descriptor as a path. Where there is no /proc, the path itself. Owned. */
static char *held_path(int fd, const char *path)
{
	char *held = memory_format("/proc/self/fd/%d", fd);
	if (access(held, X_OK) == 0)
		return held;
	free(held);
	return memory_text(path);
}

/* Whether a recording can get this name. If not, prints why. Of a file that is no directory, the kernel says to rmdir()
 * whether this user may remove it: in a sticky directory the files of other users stay. */
static bool is_usable(const char *file, const struct stat *present)
{
	if (file[0] == '\0')
		diag("-o", "its FILE is empty; name one");
	else if (present != NULL && !S_ISREG(present->st_mode))
		diag(file, "is no regular file; name another one with -o");
	else if (present != NULL && rmdir(file) != 0 && errno != ENOTDIR)
		diag(file, "cannot be replaced: %s; name another FILE with -o", strerror(errno));
	else
		return true;
	return false;
}

bool record_directory_create(struct record_directory *directory, const char *file)
{
	struct stat status;
	*directory = (struct record_directory){.fd = -1, .board = -1};
	bool is_there = stat(file, &status) == 0;
	if (!is_usable(file, is_there ? &status : NULL))
		return false;
	directory->file_device = is_there ? status.st_dev : 0;
	directory->file_inode = is_there ? status.st_ino : 0;
	char *made = memory_format("%s." UNIQUE, file);
	directory->path = mkdtemp(made) != NULL ? realpath(made, NULL) : NULL;
	if (directory->path != NULL)
		directory->fd = open_own(directory->path);
	if (directory->fd >= 0) {
		lock(directory->fd);
		directory->held = held_path(directory->fd, directory->path);
		directory->board = record_board_create(directory->fd);
		directory->board_error = errno;
	} else {
		diag(file, "cannot make a directory beside it: %s; name another FILE with -o", strerror(errno));
		rmdir(made);
		free(directory->path);
	}
	free(made);
	return directory->fd >= 0;
}

bool record_directory_is_overtaken(const struct record_directory *directory, const char *file)
{
	struct stat status;
	return stat(file, &status) == 0 &&
	       (status.st_dev != directory->file_device || status.st_ino != directory->file_inode);
}

char *record_directory_file(const struct record_directory *directory)
{
	size_t len = strlen(directory->path) - strlen("." UNIQUE);
	return memory_format("%.*s", (int)len, directory->path);
}

char *record_escaped(char *text, const char *special, char escape)
{
	char *escaped = memory_zeroed(2 * strlen(text) + 1, 1), *to = escaped;
	for (const char *from = text; *from != '\0'; from++) {
		if (strchr(special, *from) != NULL)
			*to++ = escape;
		*to++ = *from;
	}
	free(text);
	return escaped;
}

char *record_free_name(const char *file, const char *name)
{
	int pid_len = name != NULL ? (int)strcspn(name, "-") : 0;
	char *base = name == NULL ? memory_text(file)
				  : memory_format("%s.%.*s%s", file, pid_len, name, strchrnul(name + pid_len, '.'));
	char *path = memory_text(base);
	for (unsigned n = 2; access(path, F_OK) == 0; n++) {
		free(path);
		path = memory_format("%s.%u", base, n);
	}
	free(base);
	return path;
}

/* A whole recording becomes `file`.NAME. */
static void keep(const char *held, const char *name, const char *file)
{
	struct recording recording;
	char *from = memory_format("%s/%s", held, name), *to = record_free_name(file, name);
	if (recording_load(&recording, from) == RECORDING_WHOLE && rename(from, to) == 0)
		diag(to, "is a recording that was found: the 'stmlog record' that made it was killed");
	recording_fini(&recording);
	free(to);
	free(from);
}

/* Removes the directory, and the files in it that are not kept for FILE. NULL: none is kept. */
static void clear(int directory, const char *path, const char *held, const char *file)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		if (file != NULL && entry->d_name[0] != '.')
			keep(held, entry->d_name, file);
		unlinkat(directory, entry->d_name, 0); /* "." and ".." stay: they are directories */
	}
	if (stream != NULL)
		closedir(stream);
	rmdir(path);
}

void record_directory_destroy(struct record_directory *directory)
{
	if (directory->board >= 0) {
		record_board_end(directory->board);
		close(directory->board);
	}
	clear(directory->fd, directory->path, directory->held, NULL);
	close(directory->fd);
	free(directory->held);
	free(directory->path);
	*directory = (struct record_directory){.fd = -1, .board = -1};
}

/* ---- those of others ---- */

/* A directory without a board is none of ours. One whose recorder lives is locked. */
static void adopt_directory(const char *path, const char *file)
{
	int fd = open_own(path), board = fd >= 0 && lock(fd) ? record_board_open(fd) : -1;
	if (board >= 0 && record_board_sum_up(board).running == 0) {
		char *held = held_path(fd, path);
		record_board_unload(board, held);
		clear(fd, path, held, file);
		free(held);
	}
	if (board >= 0)
		close(board);
	if (fd >= 0)
		close(fd);
}

void record_adopt(const char *file)
{
	char *begin = record_escaped(memory_text(file), "*?[]\\", '\\'); /* of a pattern for glob() */
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
