/* SPDX-License-Identifier: MIT
 * One line of source, as a part of a sentence. */
#ifndef SOURCE_LINE_H
#define SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The statement in the text of a line: without the spaces around it, its semicolon, a brace and comments; and cut
 * behind a name or sign, with "..", if it has more than `max` bytes. NULL: there is none. The caller frees it. */
char *source_statement(const char *text, size_t max);

/* The statement of a line of a file; NULL: there is none, or the file cannot be read. The caller frees it. */
char *source_line(const char *path, uint32_t line, size_t max);

#endif
