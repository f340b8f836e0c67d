/* SPDX-License-Identifier: MIT */
#include "source_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

/* A recording may name any file, and no source is as long. */
enum { MAX_BYTES = 16 << 20 };

/* Headers of C++ have no end of their own. */
static bool is_named_as_source(const char *path)
{
	static const char *const ends[] = {"c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "c++", "h++", "C", "H",
		"inc", "inl", "ipp", "tcc", "def", "y", "l", "s", "S", "m", "mm", "d", "f", "F", "f90", "F90", "hs",
		"lhs", "hsc", "cmm", "rs", "go", "zig", "ada", "adb", "ads"};
	const char *name = strrchr(path, '/'), *end = strrchr(name != NULL ? name : path, '.');
	if (end == NULL)
		return strstr(path, "/include/") != NULL;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (strcmp(end + 1, ends[i]) == 0)
			return true;
	return false;
}

/* A recording may come from somebody else, and name any file of this machine, itself or by a link: only the file at the
 * end of all links counts. */
static bool is_source(const char *path)
{
	struct stat status;
	char real[PATH_MAX];
	return realpath(path, real) != NULL && is_named_as_source(real) && stat(real, &status) == 0 &&
	       S_ISREG(status.st_mode);
}

char *source_path(const char *file, const char *directory)
{
	bool is_relative = file[0] != '/' && directory != NULL;
	return is_relative ? memory_format("%s/%s", directory, file) : memory_text(file);
}

/* ---- below a directory ---- */

static bool goes_up(const char *path)
{
	do {
		path += *path == '/';
		if (strncmp(path, "..", 2) == 0 && (path[2] == '/' || path[2] == '\0'))
			return true;
		path = strchr(path, '/');
	} while (path != NULL);
	return false;
}

static bool is_file_below(const char *path, const char *directory)
{
	if (*path == '\0' || goes_up(path))
		return false;
	char *there = memory_format("%s/%s", directory, path);
	bool is_found = is_source(there);
	free(there);
	return is_found;
}

/* The longest end of the path that is a file below the directory; NULL: none is. */
static const char *find_below(const char *path, const char *directory)
{
	do {
		path += strspn(path, "/");
		if (is_file_below(path, directory))
			return path;
		path = strchr(path, '/');
	} while (path != NULL);
	return NULL;
}

char *source_find(const char *path, const char *srcdir)
{
	const char *below = srcdir != NULL ? find_below(path, srcdir) : NULL;
	if (below != NULL)
		return memory_format("%s/%s", srcdir, below);
	return is_source(path) ? memory_text(path) : NULL;
}

bool source_is_newer(const char *path, uint64_t unix_ns)
{
	struct stat status;
	uint64_t ran_s = unix_ns / 1000000000;
	return ran_s != 0 && stat(path, &status) == 0 && status.st_mtime > 0 && (uint64_t)status.st_mtime > ran_s + 1;
}

/* The part of the path behind the directory; NULL: it does not lie there. */
static const char *part_behind(const char *path, const char *directory)
{
	size_t len = strlen(directory);
	while (len > 0 && directory[len - 1] == '/')
		len--;
	return strncmp(path, directory, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

char *source_relative(const char *path, const char *base)
{
	char real_base[PATH_MAX], real[PATH_MAX];
	const char *found = NULL;
	bool has_base = realpath(base, real_base) != NULL;
	if (has_base && realpath(path, real) != NULL)
		found = part_behind(real, real_base);
	if (found == NULL)
		found = find_below(path, base);
	if (found == NULL && has_base && !goes_up(path))
		found = part_behind(path, real_base);
	return memory_text(found != NULL ? found : path);
}

/* ---- text ---- */

/* Reads to the end of the file or to MAX_BYTES. Returns how many bytes; -1: that failed. */
static ssize_t read_all(int fd, char *bytes)
{
	ssize_t len = 0, part;
	while (len < MAX_BYTES && (part = read(fd, bytes + len, (size_t)(MAX_BYTES - len))) != 0) {
		if (part < 0 && errno != EINTR)
			return -1;
		len += part > 0 ? part : 0;
	}
	return len;
}

/* Ends each line by a NUL. A NUL in the file ends the part of its line that is shown. */
static void find_lines(struct source_text *text, size_t bytes)
{
	size_t cap = 0;
	char *at = text->bytes, *end = text->bytes + bytes, *newline;
	for (; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		newline = newline != NULL ? newline : end;
		*newline = '\0';
		text->lines = memory_grown(text->lines, text->len, &cap, sizeof *text->lines);
		text->lines[text->len++] = at;
	}
	text->lines = memory_grown(text->lines, text->len, &cap, sizeof *text->lines);
	text->lines[text->len] = end;
}

const char *source_read(struct source_text *text, const char *path)
{
	*text = (struct source_text){.len = 0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return strerror(errno);
	char *bytes = memory_zeroed(MAX_BYTES + 1, 1);
	ssize_t len = read_all(fd, bytes);
	const char *fault = len < 0 ? strerror(errno) : len == MAX_BYTES ? "it is too long" : NULL;
	close(fd);
	if (fault != NULL) {
		free(bytes);
		return fault;
	}
	text->bytes = bytes;
	find_lines(text, (size_t)len);
	return NULL;
}

void source_fini(struct source_text *text)
{
	free(text->lines);
	free(text->bytes);
	*text = (struct source_text){.len = 0};
}

/* ---- one line, as a part of a sentence ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Bytes of letters beyond ASCII, too. */
static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The bytes of the comment that begins there; 0: none does. */
static size_t comment_len(const char *text)
{
	if (strncmp(text, "//", 2) == 0)
		return strlen(text);
	if (strncmp(text, "/*", 2) != 0)
		return 0;
	const char *end = strstr(text + 2, "*/");
	return end != NULL ? (size_t)(end + 2 - text) : strlen(text);
}

/* The bytes of the string or character that begins there; 0: none does. */
static size_t quoted_len(const char *text)
{
	size_t len = 1;
	if (text[0] != '"' && text[0] != '\'')
		return 0;
	while (text[len] != '\0' && text[len] != text[0])
		len += text[len] == '\\' && text[len + 1] != '\0' ? 2 : 1;
	return len + (text[len] != '\0');
}

/* A copy without comments, and with one space for several. */
static char *without_comments(const char *text)
{
	char *copy = memory_zeroed(strlen(text) + 1, 1);
	size_t len = 0, quoted;
	while (*text != '\0') {
		size_t comment = comment_len(text);
		if (comment > 0 || is_blank(*text)) {
			text += comment > 0 ? comment : 1;
			if (len > 0 && copy[len - 1] != ' ')
				copy[len++] = ' ';
			continue;
		}
		quoted = quoted_len(text);
		quoted = quoted > 0 ? quoted : 1;
		memcpy(copy + len, text, quoted);
		len += quoted;
		text += quoted;
	}
	copy[len] = '\0';
	return copy;
}

static void cut(char *text, size_t max)
{
	static const char mark[] = "..";
	size_t room = max - (sizeof mark - 1), len = room;
	if (strlen(text) <= max)
		return;
	while (len > 0 && is_in_name(text[len - 1]) && is_in_name(text[len]))
		len--;
	while (len > 0 && strchr(" .", text[len - 1]) != NULL)
		len--;
	memcpy(text + (len > 0 ? len : room), mark, sizeof mark);
}

char *source_statement(const char *text, size_t max)
{
	char *copy = without_comments(text);
	size_t len = strlen(copy), begin = strspn(copy, "{} ");
	while (len > begin && strchr("; {}", copy[len - 1]) != NULL)
		copy[--len] = '\0';
	memmove(copy, copy + begin, len + 1 - begin);
	bool is_keyword = strncmp(copy, "__transaction_", strlen("__transaction_")) == 0;
	if (copy[0] == '\0' || is_keyword) {
		free(copy);
		return NULL;
	}
	cut(copy, max);
	return copy;
}

char *source_line(const char *path, uint32_t line, size_t max)
{
	struct source_text source;
	if (source_read(&source, path) != NULL)
		return NULL;
	char *text = line >= 1 && line <= source.len ? source_statement(source.lines[line - 1], max) : NULL;
	source_fini(&source);
	return text;
}
