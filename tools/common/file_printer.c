/* SPDX-License-Identifier: MIT */
#include "file_printer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void write_file(void *file, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, file);
}

static bool may_colour(int fd)
{
	const char *never = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	if (never != NULL && never[0] != '\0')
		return false;
	return isatty(fd) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

struct printer file_printer(FILE *file)
{
	struct winsize size = {0};
	int fd = fileno(file);
	bool is_terminal = isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0;
	return (struct printer){
		.write = write_file,
		.arg = file,
		.width = is_terminal ? size.ws_col : 0,
		.is_coloured = may_colour(fd),
		.is_utf8 = MB_CUR_MAX > 1,
	};
}
