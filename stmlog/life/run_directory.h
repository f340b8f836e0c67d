/* SPDX-License-Identifier: MIT
 *
 * Opens the private directory that `record` has made for the recordings of a run. The directory lies where other users
 * may write, and they may put something else in its place. So `in` of STMLOG_RUN has its device and inode number:
 * DEVICE.NUMBER.
 */
#ifndef STMLOG_RUN_DIRECTORY_H
#define STMLOG_RUN_DIRECTORY_H

/* Opens the directory in which `path` is. Returns a descriptor or a negative errno; -ENOENT: the directory is gone, or
 * is not the directory of the run; -EINVAL: the path names no directory, or only the root. Without `in` any
 * directory is accepted. */
int run_directory_open(const char *path);

#endif
