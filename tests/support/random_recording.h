/* SPDX-License-Identifier: MIT
 * Recordings of runs that might have been: of one program, each loaded elsewhere, with keys that some of them share.
 * Right in every respect, and all estimates whole numbers, so that sums do not depend on their order. */
#ifndef RANDOM_RECORDING_H
#define RANDOM_RECORDING_H

#include "random.h"
#include "recording_writer.h"

void random_recording(struct writer *writer, struct random *random);

#endif
