/* SPDX-License-Identifier: MIT
 *
 * Programs that are a table of scenes: short stories of a process with transactions, each of which ends with a line on
 * stdout and an exit status, or by a signal. A test plays each scene without and with the profiler, and compares.
 *
 * A scene prints nothing that differs from run to run, and takes less than a second without the profiler.
 */
#ifndef SCENES_H
#define SCENES_H

#include <stddef.h>

struct scene {
	const char *name;
	int (*play)(void); /* returns the exit status */
};

/* main() of such a program: plays the scene that argv[1] names. `--list` prints the names. With any other argument, as
 * each program of this folder may get, some transactions are all. */
int scenes_main(int argc, char **argv, const struct scene *scenes, size_t count);

/* Commits so many transactions. */
void scenes_transact(unsigned count);

/* Waits for the child and prints how it has ended. */
void scenes_tell_child(int child);

#endif
