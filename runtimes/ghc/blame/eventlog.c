/* SPDX-License-Identifier: MIT
 * Makes the messages. */
#include "blame.h"

#include <inttypes.h>
#include <stdio.h>

#include "tvars.h"

#define OBJECT_BYTES 160
#define MESSAGE_BYTES 320

void eventlog_write(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss)
{
	char message[MESSAGE_BYTES], object[OBJECT_BYTES] = "";
	struct tb_place place = {.function = ""};
	uint64_t ns = stmlog_now_ns() - lane->began_ns;
	bool has_name = tb_code_place(lane->site, &place);
	objects_name(loss->object, object, sizeof object, NULL);
	snprintf(message, sizeof message, "stm %s %s%s%s%s%s, %" PRIu64 " ns", event, loss->cause.detail,
		has_name ? " " : "", place.function, object[0] != '\0' ? ": " : "", object, ns);
	ghc_real.user_message((struct hs_capability *)(uintptr_t)capability_held.real, message);
}
