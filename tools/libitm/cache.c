/* SPDX-License-Identifier: MIT
 *
 * Reads findings, and keeps them: a file for each build of libitm in $XDG_CACHE_HOME/stmlog, or else ~/.cache/stmlog. A
 * file is used if it belongs to the user and each byte is as stmlog would write it. If no file can be written, the
 * experiment is made each time, without a message.
 */
#include "libitm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "memory.h"
#include "output.h"

/* ---- findings: the text that the experiment prints, and that the agent is given: ",KEY=HEX" for each piece found ----
 */

static const char *const keys[LIBITM_PIECES] = {
	[LIBITM_COUNTERS] = ",counters=",
	[LIBITM_COMMITS] = ",commits=",
	[LIBITM_LOCKS] = ",locks=",
	[LIBITM_DISPATCH] = ",dispatch=",
	[LIBITM_SERIAL] = ",serial=",
};

bool libitm_read(const char *findings, struct libitm_value values[LIBITM_PIECES])
{
	memset(values, 0, LIBITM_PIECES * sizeof *values);
	for (size_t i = 0; i < LIBITM_PIECES; i++) {
		size_t len = strlen(keys[i]);
		if (strncmp(findings, keys[i], len) != 0)
			continue;
		findings += len;
		size_t digits = strspn(findings, "0123456789abcdef");
		if (digits == 0 || digits >= sizeof values[i].hex)
			return false;
		memcpy(values[i].hex, findings, digits);
		findings += digits;
	}
	return *findings == '\0';
}

bool libitm_is_complete(const char *findings)
{
	struct libitm_value values[LIBITM_PIECES];
	bool is_whole = libitm_read(findings, values);
	for (size_t i = 0; i < LIBITM_PIECES; i++)
		is_whole = is_whole && values[i].hex[0] != '\0';
	return is_whole;
}

enum { TEXT_MAX = 512 };

/* ---- the text: findings, and a hash of them and of the libitm that they are about ---- */

static uint64_t with_text(uint64_t hash, const char *text)
{
	return libitm_hash(hash, text, strlen(text));
}

char *libitm_cache_text(const struct libitm *libitm, const char *findings)
{
	uint64_t sum = with_text(with_text(with_text(LIBITM_HASH, libitm->id), libitm->sum), findings);
	return memory_format("stmlog libitm 1\n%s\n%016" PRIx64 "\n", findings, sum);
}

char *libitm_cache_findings(const struct libitm *libitm, const char *text)
{
	struct libitm_value values[LIBITM_PIECES];
	const char *second = strchr(text, '\n');
	if (second == NULL)
		return NULL;
	char *findings = memory_format("%.*s", (int)strcspn(second + 1, "\n"), second + 1);
	char *expected = libitm_cache_text(libitm, findings);
	bool is_right = strcmp(text, expected) == 0 && libitm_read(findings, values);
	free(expected);
	if (is_right)
		return findings;
	free(findings);
	return NULL;
}

/* ---- the file ---- */

static bool is_absolute(const char *path)
{
	return path != NULL && path[0] == '/';
}

/* The directory of the user's caches; owned, NULL: none is known. */
static char *base(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (is_absolute(cache))
		return memory_text(cache);
	return is_absolute(home) ? memory_format("%s/.cache", home) : NULL;
}

static char *path_of(const struct libitm *libitm, const char *directory)
{
	return memory_format("%s/stmlog/libitm-%s-%s", directory, libitm->id, libitm->sum);
}

static char *read_file(const char *path)
{
	struct stat status;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (file < 0)
		return NULL;
	char *text = memory_zeroed(TEXT_MAX + 1, 1);
	bool is_ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
		       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
	ssize_t len = is_ours ? read(file, text, TEXT_MAX) : -1;
	close(file);
	if (len >= 0)
		return text;
	free(text);
	return NULL;
}

char *libitm_cache_read(const struct libitm *libitm)
{
	REQUIRES(libitm->id[0] != '\0' && libitm->sum[0] != '\0');
	char *directory = base();
	if (directory == NULL)
		return NULL;
	char *path = path_of(libitm, directory);
	char *text = read_file(path);
	char *findings = text != NULL ? libitm_cache_findings(libitm, text) : NULL;
	free(text);
	free(path);
	free(directory);
	return findings;
}

/* A directory of another user, as under sudo, is not used. */
static bool is_own_directory(const char *path)
{
	struct stat status;
	return (mkdir(path, 0700) == 0 || errno == EEXIST) && stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       status.st_uid == geteuid();
}

void libitm_cache_write(const struct libitm *libitm)
{
	REQUIRES(libitm->id[0] != '\0' && libitm->sum[0] != '\0' && libitm->findings != NULL);
	char *directory = base();
	if (directory == NULL)
		return;
	char *own = memory_format("%s/stmlog", directory);
	if (is_own_directory(directory) && is_own_directory(own)) {
		char *path = path_of(libitm, directory), *text = libitm_cache_text(libitm, libitm->findings);
		output_replace(path, text);
		free(text);
		free(path);
	}
	free(own);
	free(directory);
}
