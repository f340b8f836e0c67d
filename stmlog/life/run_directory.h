/* SPDX-License-Identifier: MIT
 *
 * The private directory that `record` has made for the recordings of a run. It lies where others may write, who may put
 * something else in its place. So the option `in` has its device and its number: DEVICE.NUMBER.
 */
#ifndef STMLOG_RUN_DIRECTORY_H
#define STMLOG_RUN_DIRECTORY_H

/* Opens the directory in which `path` is. Returns a descriptor or a negative errno; -ENOENT: it is gone, or what is
 * there is not the directory of the run; -EINVAL: the path has none but the root. Without the option any directory will
 * do. */
int run_directory_open(const char *path);

#endif
