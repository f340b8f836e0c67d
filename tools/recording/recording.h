/* SPDX-License-Identifier: MIT
 * A recording read from its file. */
#ifndef RECORDING_H
#define RECORDING_H

#include "file.h"
#include "records.h"

#define RECORDING_USUAL_FILE "stmlog.data" /* what `record` writes and the other commands read, if no file is named */

enum recording_status {
	RECORDING_WHOLE,
	RECORDING_PARTIAL, /* fault says where it ends; info, totals and threads are whole */
	RECORDING_UNUSABLE /* fault says why */
};

/* Loads the file; the path - is stdin. Call recording_fini() in any case. */
enum recording_status recording_load(struct recording *recording, const char *path);

/* The same in two: a file that is moved after it was loaded is told of where it is then. */
enum recording_status recording_load_untold(struct recording *recording, const char *path);
void recording_tell_cut(const struct recording *recording, const char *path);

void recording_fini(struct recording *recording);

#endif
