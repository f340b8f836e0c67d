/* SPDX-License-Identifier: MIT
 * Recordings of runs that might have been: of one program, each loaded elsewhere, with keys that some of them share.
 * Right in every respect, and all estimates whole numbers, so that sums do not depend on their order. */
#ifndef RANDOM_RECORDING_H
#define RANDOM_RECORDING_H

#include "random.h"
#include "recording_writer.h"

void random_recording(struct writer *writer, struct random *random);

/* The same of runs in which only some transactions were measured: some of the time outside is estimated to be in rows
 * and entries, and all have intervals. Threads were off the processor for some time. */
void random_recording_sampled(struct writer *writer, struct random *random);

/* The same, spoilt: estimates that do not fit into the time there was, and intervals that are none. References and
 * measured times stay right. */
void random_recording_spoilt(struct writer *writer, struct random *random);

#endif
