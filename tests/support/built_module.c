/* SPDX-License-Identifier: MIT */
#include "built_module.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

void built_module(const char *path, const char *source, const char *flags)
{
	char command[1024];
	int len = snprintf(
		command, sizeof command, "gcc -x c -O1 -fPIC -shared -Wl,--build-id=none %s -o '%s' -", flags, path);
	assert_true(len > 0 && (size_t)len < sizeof command);
	FILE *compiler = popen(command, "w");
	assert_non_null(compiler);
	fputs(source, compiler);
	if (pclose(compiler) != 0)
		fail_msg("cannot be built: %s", command);
}
