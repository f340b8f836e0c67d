/* SPDX-License-Identifier: MIT
 * One recording that is right in every respect, for tests to report, to damage and to tamper with. */
#ifndef RECORDING_SAMPLE_H
#define RECORDING_SAMPLE_H

#include "recording_writer.h"

/* Two threads of a bank. Five entries: transfers that fight over accounts with someone unknown (4 ms lost), audits
 * that lose to a known transfer (1 ms), a pause of 250 us without frames, a transfer aborted by an audit (150 us), and
 * aborts that the program asked for (50 us). 100 us evicted; what was for nothing is in the entries but for one loss
 * of 20 us. */
void recording_sample(struct writer *writer);

/* The same run, of which 1 transaction in SAMPLE_WEIGHT was measured: what it holds stands for so many. */
enum { SAMPLE_WEIGHT = 16 };
void recording_sample_weighed(struct writer *writer);

/* The same run on hardware transactions of which some aborted, by each cause another number; 2 processors. */
void recording_sample_hardware(struct writer *writer);

#endif
