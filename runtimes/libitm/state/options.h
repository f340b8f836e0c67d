/* SPDX-License-Identifier: MIT
 * The agent's own options, of STMLOG_OPTIONS and of what `stmlog record` hands over. */
#ifndef ITM_OPTIONS_H
#define ITM_OPTIONS_H

#include <stdint.h>

#include "libitm_layout.h"
#include "loaded.h"

/* How much of a culprit's stack is recorded with each write. */
enum itm_stacks {
	ITM_STACKS_SITE,   /* the place of the write, and where its transaction began */
	ITM_STACKS_FRAMES, /* and the callers of that, by frame pointers */
	ITM_STACKS_FULL,   /* and the callers within the transaction, by functions built with -finstrument-functions */
};

struct itm_options {
	uint32_t sample; /* native_sample(); with NATIVE_SAMPLE_AUTO each thread chooses its own */
	uint32_t depth;  /* frames of a traceback */
	uint32_t factor; /* of the lock hash, on the victim's side: a control experiment sets a wrong one */
	enum itm_stacks stacks;
	struct itm_layout layout; /* of the libitm given; all 0 where libitm's own data are not to be read */
};

/* Reads the options, which the library knows once it is open. Warns on stderr of values that it does not understand,
 * and takes the defaults for those. */
struct itm_options itm_options_read(const struct native_module *libitm);

#endif
