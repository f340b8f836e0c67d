/* SPDX-License-Identifier: MIT
 * One recording that is right in every respect, for tests to report, to damage and to tamper with. */
#ifndef RECORDING_SAMPLE_H
#define RECORDING_SAMPLE_H

#include "recording_writer.h"

/* Two threads of a bank. Three entries: transfers that fight over accounts (4 ms lost), audits that lose to a known
 * transfer (1 ms), a pause of 250 us with unknown tracebacks; 100 us evicted. */
void recording_sample(struct writer *writer);

#endif
