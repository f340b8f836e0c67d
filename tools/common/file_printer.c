/* SPDX-License-Identifier: MIT */
#include "file_printer.h"

#include <stdlib.h>

static void write_file(void *file, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, file);
}

struct printer file_printer(FILE *file)
{
	struct printer printer = {.write = write_file, .arg = file, .is_utf8 = MB_CUR_MAX > 1};
	printer_look(&printer, fileno(file));
	return printer;
}
