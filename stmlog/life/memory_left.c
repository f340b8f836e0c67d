/* SPDX-License-Identifier: MIT
 * Finds the files of the process's control group, and compares the memory in use with the limit. */
#include "memory_left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* The first version says of a group without a limit that its limit is the largest number of whole pages, of at most
 * 64 KiB each. */
#define UNLIMITED ((uint64_t)INT64_MAX / 65536 * 65536)

/* The names of the files, below the mount and the group. */
struct version {
	const char *folder, *used, *limit;
};
static const struct version second = {"", "/memory.current", "/memory.max"},
			    first = {"/memory", "/memory.usage_in_bytes", "/memory.limit_in_bytes"};

static struct {
	int used, limit; /* descriptors; -1: not open */
	uint64_t before; /* in use when that was last read */
	uint64_t lowest; /* the limit */
} group = {.used = -1, .limit = -1};

/* Returns the number in the file; 0: there is none, or the word "max". */
static uint64_t number_in(int file)
{
	char text[32];
	ssize_t len = pread(file, text, sizeof text - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	return strtoull(text, NULL, 10);
}

static int open_in(char path[PATH_SIZE], size_t len, const char *name)
{
	int file = -1;
	if (len + strlen(name) < PATH_SIZE) {
		strcpy(path + len, name);
		file = open(path, O_RDONLY | O_CLOEXEC);
	}
	path[len] = '\0';
	return file;
}

/* Opens the files of the group at the path, in place of the present one's, if its limit is lower. */
static void open_if_lower(char path[PATH_SIZE], const struct version *version)
{
	size_t len = strlen(path);
	int limit = open_in(path, len, version->limit);
	uint64_t bytes = limit >= 0 ? number_in(limit) : 0;
	if (bytes == 0 || bytes >= (group.limit >= 0 ? group.lowest : UNLIMITED)) {
		if (limit >= 0)
			close(limit);
		return;
	}
	memory_left_close();
	group.limit = limit;
	group.used = open_in(path, len, version->used);
	group.lowest = bytes;
	group.before = number_in(group.used);
}

/* Looks at the group and all groups around it. */
static void look_at_groups(const char *mount, const char *name, const struct version *version)
{
	char path[PATH_SIZE];
	size_t start = strlen(mount) + strlen(version->folder);
	if (start + strlen(name) >= sizeof path)
		return;
	strcpy(stpcpy(stpcpy(path, mount), version->folder), name);
	for (char *end = path + strlen(path); end != NULL && end >= path + start; end = strrchr(path, '/')) {
		*end = '\0';
		open_if_lower(path, version);
	}
}

/* A line is "0::GROUP", of the second version, or "NUMBER:CONTROLLERS:GROUP". */
static void look_at_line(char *line, const char *mount)
{
	char *controllers = strchr(line, ':'), *name = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
	if (name == NULL)
		return;
	*name++ = '\0';
	if (strcmp(controllers, ":") == 0)
		look_at_groups(mount, name, &second);
	else if (strstr(controllers, "memory") != NULL)
		look_at_groups(mount, name, &first);
}

void memory_left_open(const char *list, const char *mount)
{
	char text[2 * PATH_SIZE], *rest;
	int saved = errno, file = open(list, O_RDONLY | O_CLOEXEC);
	ssize_t len = file >= 0 ? read(file, text, sizeof text - 1) : 0;
	text[len > 0 ? len : 0] = '\0';
	if (file >= 0)
		close(file);
	memory_left_close();
	for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
		look_at_line(line, mount);
	errno = saved;
}

bool memory_left_is_known(void)
{
	return group.used >= 0;
}

/* a - b, or 0 where b is larger. */
static uint64_t excess(uint64_t a, uint64_t b)
{
	return b < a ? a - b : 0;
}

uint64_t memory_left_bytes(void)
{
	int saved = errno;
	uint64_t left = excess(number_in(group.limit), number_in(group.used));
	errno = saved;
	return left;
}

bool memory_left_is_short(void)
{
	int saved = errno;
	uint64_t limit = number_in(group.limit), used = number_in(group.used);
	uint64_t left = excess(limit, used), grown = excess(used, group.before);
	group.before = used;
	errno = saved;
	return limit != 0 && (left <= limit / 8 || left / 16 <= grown);
}

void memory_left_close(void)
{
	if (group.limit >= 0)
		close(group.limit);
	if (group.used >= 0)
		close(group.used);
	group.limit = group.used = -1;
}
