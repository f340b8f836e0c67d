/* SPDX-License-Identifier: MIT */
#include "source_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

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
