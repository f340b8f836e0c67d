/* SPDX-License-Identifier: MIT */
#include "temp_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int temp_dir_setup(void **state)
{
	*state = strdup("/tmp/stmlog-test.XXXXXX");
	return *state != NULL && mkdtemp(*state) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

int temp_dir_teardown(void **state)
{
	int result = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(*state);
	return result;
}

const char *temp_dir_path(void **state, const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", (const char *)*state, name);
	return path;
}
