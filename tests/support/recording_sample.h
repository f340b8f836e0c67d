/* SPDX-License-Identifier: MIT
 * One recording that is right in every respect, for tests to report, to damage and to tamper with. */
#ifndef RECORDING_SAMPLE_H
#define RECORDING_SAMPLE_H

#include "recording_writer.h"

/* Two threads of a bank. Five entries: transfers that fight over accounts with someone unknown (4 ms lost), audits
 * that lose to a known transfer (1 ms), a pause of 250 us without frames, a transfer aborted by an audit (150 us), and
 * aborts that the program asked for (50 us). Losses of 100 us were evicted. Losses for nothing (wasted_ns) are all in
 * the entries, except one of 20 us, which was evicted. */
void recording_sample(struct writer *writer);

/* The same run, of which 1 transaction in SAMPLE_WEIGHT was measured: each of its losses stands for SAMPLE_WEIGHT. */
enum { SAMPLE_WEIGHT = 16 };
void recording_sample_weighed(struct writer *writer);

/* The same run of two processes, a bank and an audit of a thread each. */
void recording_sample_processes(struct writer *writer);

/* The same run by libitm's method htm: 60,622 transactions committed in hardware, and 612 without. 2 processors. */
void recording_sample_hardware(struct writer *writer);

#endif
