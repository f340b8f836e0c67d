/* SPDX-License-Identifier: MIT
 * A new directory, whose path is temp_dir. */
#ifndef TEMP_DIR_H
#define TEMP_DIR_H

#include "test.h"

extern const struct test_fixture temp_dir_fixture;

/* Its functions, for fixtures that do more. */
void temp_dir_set_up(void);
void temp_dir_tear_down(void);

extern char temp_dir[];

/* "temp_dir/name" in a static buffer: valid until the fourth call from now. */
const char *temp_dir_path(const char *name);

#endif
