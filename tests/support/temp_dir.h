/* SPDX-License-Identifier: MIT
 * A directory of the test's own. */
#ifndef TEMP_DIR_H
#define TEMP_DIR_H

/* cmocka's set-up and tear-down; *state is the path. */
int temp_dir_setup(void **state);
int temp_dir_teardown(void **state);

/* "directory/name" in a static buffer: valid until the fourth call from now. */
const char *temp_dir_path(void **state, const char *name);

#endif
