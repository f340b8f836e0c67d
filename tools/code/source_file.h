/* SPDX-License-Identifier: MIT
 * Finds source files on this machine, and reads their lines. Debug information has the path that a file had for the
 * compiler; the file may lie elsewhere by now, or on another machine. Below a directory of sources a file is looked for
 * by the end of its recorded path, the longest end first: of /x/y/z first DIR/x/y/z, then DIR/y/z, then DIR/z. An end
 * with ".." in it is not tried, so nothing outside of the directory is found there. Only regular files with names of
 * sources are found: a recording of somebody else's cannot show any other file of this machine. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of `file`, which may be relative to the directory in which the unit was compiled. NULL for that: not known.
 * The caller frees it. */
char *source_path(const char *file, const char *directory);

/* The path at which the file can be opened: below `srcdir` (NULL: there is none), or else the recorded one. NULL: it is
 * in neither place. The caller frees it. */
char *source_find(const char *path, const char *srcdir);

/* Whether the file was written after the program ran, so that lines may have moved. 0: it is not known when it ran. */
bool source_is_newer(const char *path, uint64_t unix_ns);

/* The path relative to `base`: of the recorded file if that lies below it, or of the file that is found there by the
 * end of its path. If there is none, the path as it is. The caller frees it. */
char *source_relative(const char *path, const char *base);

/* A source file's bytes, ended by a NUL. Invariant: lines[i] is where line i + 1 begins, and lines[len] the end. */
struct source_text {
	char *bytes;
	char **lines;
	size_t len;
};

/* Returns why the file cannot be read; NULL: it was, call source_fini(). */
const char *source_read(struct source_text *text, const char *path);
void source_fini(struct source_text *text);

/* ---- one line, as a part of a sentence ---- */

/* The statement in the text of a line: without the spaces around it, its semicolon, a brace and comments; and cut
 * behind a name or sign, with "..", if it has more than `max` bytes. NULL: there is none. The caller frees it. */
char *source_statement(const char *text, size_t max);

/* The statement of a line of a file; NULL: there is none, or the file cannot be read. The caller frees it. */
char *source_line(const char *path, uint32_t line, size_t max);

#endif
