/* SPDX-License-Identifier: MIT
 * Counts of hardware transactions, measured or not, if the runtime has counted them. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "records.h"

struct hardware_cause {
	const char *word; /* "HTM_CONFLICT" */
	const char *name; /* "conflict" */
	uint64_t aborts;
};

enum {
#define STMLOG_INFO_HARDWARE(word, name, doc) HARDWARE_##word,
#include <stmlog/info.def>
	HARDWARE_CAUSES
};

struct hardware {
	bool is_known;
	uint64_t attempts;
	uint64_t aborts;
	struct hardware_cause causes[HARDWARE_CAUSES];
	uint64_t fallbacks; /* transactions that ran without hardware in the end */
};

struct hardware hardware_of(const struct recording_info *info);

#endif
