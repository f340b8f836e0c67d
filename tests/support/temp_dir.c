/* SPDX-License-Identifier: MIT */
#include "temp_dir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pattern[] = "/tmp/stmlog-test.XXXXXX";
char temp_dir[sizeof pattern];

void temp_dir_set_up(void)
{
	strcpy(temp_dir, pattern);
	assert_non_null(mkdtemp(temp_dir));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

void temp_dir_tear_down(void)
{
	assert_int_equal(nftw(temp_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

const struct test_fixture temp_dir_fixture = {temp_dir_set_up, temp_dir_tear_down};

const char *temp_dir_path(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", temp_dir, name);
	return path;
}
