/* SPDX-License-Identifier: MIT
 * Reads the file in small pieces, byte by byte, so that it needs little memory. */
#include "maps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends the next byte. Returns whether the line is complete; a line that is too long is cut. */
static bool line_add(struct maps_line *line, char byte)
{
	if (byte != '\n' && line->len < sizeof line->text - 1)
		line->text[line->len++] = byte;
	line->text[line->len] = '\0';
	return byte == '\n';
}

static struct mapping mapping_in(const struct maps_line *line)
{
	char *behind;
	struct mapping mapping = {.start = strtoull(line->text, &behind, 16)};
	if (*behind == '-')
		mapping.end = strtoull(behind + 1, &behind, 16);
	const char *flags = strlen(behind) > 4 ? behind + 1 : "----"; /* "rw-p" */
	mapping.is_readable = flags[0] == 'r';
	mapping.is_code = flags[2] == 'x';
	mapping.offset = strtoull(flags + 4, &behind, 16);
	const char *device = *behind == ' ' ? strchr(behind + 1, ' ') : NULL;
	mapping.inode = device != NULL ? strtoull(device, NULL, 10) : 0;
	mapping.path = strchr(line->text, '/');
	return mapping;
}

static void visit_all(int maps, struct maps_line *line, bool (*visit)(const struct mapping *, void *), void *arg)
{
	char bytes[1024];
	ssize_t got;
	line->len = 0;
	while ((got = read(maps, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (!line_add(line, bytes[i]))
				continue;
			struct mapping mapping = mapping_in(line);
			if (!visit(&mapping, arg))
				return;
			line->len = 0;
		}
	}
}

bool maps_visit(
	const char *path, struct maps_line *line, bool (*visit)(const struct mapping *mapping, void *arg), void *arg)
{
	int maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0)
		return false;
	visit_all(maps, line, visit, arg);
	close(maps);
	return true;
}
