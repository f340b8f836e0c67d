/* SPDX-License-Identifier: MIT
 * Writes output files that appear as a whole: first without a name or under a temporary name, then renamed. Where a
 * rename would change more than the content, the whole is made in memory first, and then copied into the file. */
#include "artifact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "out.h"

/* Stands between the path and the random letters of a temporary name. */
#define MARK ".stmlog-"
enum { MARK_LEN = sizeof MARK - 1, LETTERS = 6, TRIES = 100 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

/* Writes random letters. If they could be guessed, somebody who may write into the directory could create files of all
 * these names beforehand. */
static void put_letters(char *at)
{
	struct timespec now;
	uint64_t bits;
	if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		bits = ((uint64_t)now.tv_nsec << 32 | (uint64_t)getpid()) * UINT64_C(0x9e3779b97f4a7c15);
	}
	for (size_t i = 0; i < LETTERS; i++, bits >>= 5)
		at[i] = letters[bits & 31];
	at[LETTERS] = '\0';
}

/* ---- files without a name, which get their name when they are complete ---- */

/* Length of the directory with its slash; 0: the current one. */
static size_t directory_len(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Returns a descriptor or a negative errno. */
static int open_directory(const char *path, int flags, mode_t mode)
{
	char directory[PATH_MAX] = ".";
	size_t len = directory_len(path);
	if (len >= sizeof directory)
		return -ENAMETOOLONG;
	if (len != 0) {
		memcpy(directory, path, len);
		directory[len] = '\0';
	}
	int file = open(directory, flags | O_CLOEXEC, mode);
	/* cppcheck-suppress resourceLeak ; the caller closes it */
	return file >= 0 ? file : -errno;
}

/* Links the file of the descriptor to the name, by the link that /proc has for each descriptor. /proc/self/fd has no
 * links once the first thread of the process has ended, so this uses the thread's own. Returns 0 or a negative
 * errno. */
static int link_name(int fd, const char *name)
{
	static const char directory[] = "/proc/thread-self/fd/";
	char number[DECIMAL_SIZE], of_file[sizeof directory + DECIMAL_SIZE];
	const char *digits = decimal_text(number, (uint64_t)fd);
	memcpy(of_file, directory, sizeof directory - 1);
	memcpy(of_file + sizeof directory - 1, digits, strlen(digits) + 1);
	return linkat(AT_FDCWD, of_file, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

/* ---- temporary names ---- */

/* Tries temporary names with new random letters until `create` succeeds, or fails for another reason than that a file
 * of that name exists. Returns the last result of `create`. */
static int create_unique(struct artifact *artifact, int (*create)(struct artifact *artifact))
{
	size_t len = strlen(artifact->path);
	int error = -EEXIST;
	memcpy(artifact->beside, artifact->path, len);
	memcpy(artifact->beside + len, MARK, MARK_LEN);
	for (int tries = 0; tries < TRIES; tries++) {
		put_letters(artifact->beside + len + MARK_LEN);
		error = create(artifact);
		if (error != -EEXIST)
			break;
	}
	return error;
}

static int link_it(struct artifact *artifact)
{
	return link_name(artifact->fd, artifact->beside);
}

/* No existing file is opened. */
static int create(struct artifact *artifact)
{
	artifact->fd = open(artifact->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, artifact->mode);
	return artifact->fd < 0 ? -errno : 0;
}

/* Not all file systems have files without a name, and not all processes see /proc. */
static bool open_nameless(struct artifact *artifact)
{
	if (access("/proc/thread-self/fd", X_OK) == 0)
		artifact->fd = open_directory(artifact->path, O_WRONLY | O_TMPFILE, artifact->mode);
	artifact->is_nameless = artifact->fd >= 0;
	return artifact->is_nameless;
}

/* The lock tells artifact_sweep() that the file is being written. */
static int open_beside(struct artifact *artifact, bool may_be_nameless)
{
	int error = 0;
	if (strlen(artifact->path) + MARK_LEN + LETTERS >= sizeof artifact->beside)
		return -ENAMETOOLONG;
	if (!may_be_nameless || !open_nameless(artifact))
		error = create_unique(artifact, create);
	if (error == 0)
		flock(artifact->fd, LOCK_EX | LOCK_NB);
	return error;
}

/* ---- the end of a file ---- */

/* Sets the time of change to the exact time. The kernel would set the time of its last tick, which may be before the
 * file was opened. */
static void put_time(int fd)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	clock_gettime(CLOCK_REALTIME, &times[1]);
	futimens(fd, times);
}

/* Closes a duplicate of the descriptor, because some file systems report only then that the bytes could not be stored.
 * The file itself stays open, for its lock and its name. Returns 0 or a negative errno. */
static int complete(int fd)
{
	int other = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return other >= 0 && close(other) != 0 ? -errno : 0;
}

/* Renames the complete file to its path. A file without a name gets a temporary one first. */
static int put_in_place(struct artifact *artifact)
{
	put_time(artifact->fd);
	int error = artifact->is_nameless ? create_unique(artifact, link_it) : 0;
	if (error == 0 && rename(artifact->beside, artifact->path) != 0)
		error = -errno;
	return error;
}

/* Ends what artifact_begin() has opened, but `old`. */
static int finish(struct artifact *artifact, int error)
{
	if (error == 0 && !artifact->is_in_place)
		error = put_in_place(artifact);
	if (error != 0 && artifact->beside[0] != '\0')
		unlink(artifact->beside);
	close(artifact->fd);
	return error;
}

/* Has the kernel keep room for `len` bytes, so that a full disk or a limit is found before the content changes. Returns
 * 0 or a negative errno; the content and its length are as before. */
static int reserve(int file, off_t len)
{
	struct stat status;
	if (fstat(file, &status) != 0)
		return -errno;
	int error = len > status.st_size && fallocate(file, 0, 0, len) != 0 ? -errno : 0;
	if (error != 0 && ftruncate(file, status.st_size) != 0)
		return -errno;
	return error == -EOPNOTSUPP ? 0 : error;
}

/* Puts the content of the file in the place of that of the old one. Returns 0 or a negative errno. */
static int copy(int file, int old)
{
	off_t len = 0;
	int error = reserve(old, lseek(file, 0, SEEK_END));
	if (error != 0)
		return error;
	ssize_t copied;
	do {
		copied = sendfile(old, file, &len, SIZE_MAX >> 2);
	} while (copied > 0 || (copied < 0 && errno == EINTR));
	if (copied < 0 || ftruncate(old, len) != 0)
		return -errno;
	put_time(old);
	return 0;
}

int artifact_end(struct artifact *artifact, int error)
{
	bool is_copied = artifact->old >= 0;
	if (error == 0 && is_copied)
		error = copy(artifact->fd, artifact->old);
	if (error == 0)
		error = complete(is_copied ? artifact->old : artifact->fd);
	if (is_copied)
		close(artifact->old);
	return finish(artifact, error);
}

/* ---- what is at the path already ---- */

/* Opens a file that can take the old one's place: by one name, for the same users. Returns false if there is none. It
 * can be read by nobody else until it has the old one's mode. */
static bool open_successor(struct artifact *artifact, bool may_be_nameless, const struct stat *status)
{
	bool has_list = getxattr(artifact->path, "system.posix_acl_access", NULL, 0) >= 0; /* of users with rights */
	artifact->mode = 0600;
	if (!S_ISREG(status->st_mode) || status->st_nlink > 1 || has_list ||
		faccessat(AT_FDCWD, artifact->path, W_OK, AT_EACCESS) != 0 ||
		open_beside(artifact, may_be_nameless) != 0)
		return false;
	if (fchown(artifact->fd, status->st_uid, status->st_gid) == 0 &&
		fchmod(artifact->fd, status->st_mode & 0777) == 0)
		return true;
	finish(artifact, -EPERM);
	artifact->beside[0] = '\0';
	return false;
}

/* Reads where the link of the descriptor leads. Returns the length; 0 if the link is not to be followed. */
static size_t read_link(int link, int directory, char *target, size_t size)
{
	struct stat status, around;
	if (fstat(link, &status) != 0 || !S_ISLNK(status.st_mode) || fstat(directory, &around) != 0 ||
		(status.st_uid != geteuid() && status.st_uid != around.st_uid))
		return 0;
	ssize_t len = readlinkat(link, "", target, size);
	return len > 0 && (size_t)len < size ? (size_t)len : 0;
}

/* The path may name another file at any time: what is read is the link whose owner was looked at. */
bool artifact_follow(const char *path, char target[PATH_MAX])
{
	char to[PATH_MAX];
	int saved = errno, directory = open_directory(path, O_PATH | O_DIRECTORY, 0);
	size_t before = directory_len(path), len = 0;
	int link = directory >= 0 ? openat(directory, path + before, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (link >= 0) {
		len = read_link(link, directory, to, sizeof to);
		close(link);
	}
	if (directory >= 0)
		close(directory);
	errno = saved;
	if (len != 0 && to[0] == '/')
		before = 0;
	if (len == 0 || before + len >= PATH_MAX)
		return false;
	memcpy(target, path, before);
	memcpy(target + before, to, len);
	target[before + len] = '\0';
	return true;
}

/* Opens what is at the path, or `target`, where the link at the path leads; NULL: there is none. Returns 0 or a
 * negative errno. The path may name another file at any time, so the type of the opened file decides. */
static int open_present(struct artifact *artifact, const char *target, bool is_waiting, struct stat *status)
{
	int way = (is_waiting ? 0 : O_NONBLOCK) | (target != NULL ? O_CREAT : O_NOFOLLOW), error = 0;
	int file = open(target != NULL ? target : artifact->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | way, 0666);
	if (file < 0)
		return -errno;
	fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
	bool is_copied = fstat(file, status) == 0 && S_ISREG(status->st_mode);
	artifact->is_in_place = true;
	artifact->old = is_copied ? file : -1;
	artifact->fd = is_copied ? memfd_create("stmlog", MFD_CLOEXEC) : file;
	if (artifact->fd < 0) {
		error = -errno;
		close(file);
	}
	return error;
}

/* The process's umask decides who may read a new file, as it does for any file of the program's. */
int artifact_begin(struct artifact *artifact, const char *path, enum artifact_way way)
{
	struct stat status;
	char target[PATH_MAX];
	artifact->fd = artifact->old = -1;
	artifact->path = path;
	artifact->beside[0] = '\0';
	artifact->mode = 0666;
	artifact->is_in_place = artifact->is_nameless = false;
	bool is_there = lstat(path, &status) == 0, is_link = is_there && S_ISLNK(status.st_mode);
	bool is_followed = is_link && artifact_follow(path, target);
	if (!is_there || (is_link && !is_followed))
		return open_beside(artifact, way != ARTIFACT_NAMED);
	if (open_successor(artifact, way != ARTIFACT_NAMED, &status))
		return 0;
	return open_present(artifact, is_followed ? target : NULL, way == ARTIFACT_WAITING, &status);
}

/* ---- temporary files that killed processes have left ---- */

/* Whether the name is `path`, followed by the mark and random letters. */
static bool is_temporary(const char *name, const char *path)
{
	size_t len = strlen(path);
	if (strncmp(name, path, len) != 0 || strncmp(name + len, MARK, MARK_LEN) != 0)
		return false;
	name += len + MARK_LEN;
	return strlen(name) == LETTERS && strspn(name, letters) == LETTERS;
}

static void remove_unlocked(int directory, const char *name)
{
	struct stat status;
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
		unlinkat(directory, name, 0);
	close(file);
}

/* Calls getdents64(), because readdir() allocates memory by malloc(). */
void artifact_sweep(const char *path)
{
	char entries[2048] __attribute__((aligned(8)));
	ssize_t len;
	int saved = errno, directory = open_directory(path, O_RDONLY | O_DIRECTORY, 0);
	while (directory >= 0 && (len = getdents64(directory, entries, sizeof entries)) > 0) {
		for (ssize_t at = 0; at < len;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			if (is_temporary(entry->d_name, path + directory_len(path)))
				remove_unlocked(directory, entry->d_name);
			at += entry->d_reclen;
		}
	}
	if (directory >= 0)
		close(directory);
	errno = saved;
}

const char *artifact_remedy(int error)
{
	switch (error) {
	case -ENOMEM:
		return "; allow the process more memory (ulimit -v)";
	case -EFBIG:
		return "; allow the process larger files (ulimit -f)";
	default:
		return NULL;
	}
}
