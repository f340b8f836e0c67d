/* SPDX-License-Identifier: MIT
 * Losses as folded stacks, the input of scripts that draw flame graphs: a line for each loss, with its frames and its
 * nanoseconds. */
#include <inttypes.h>

#include "export.h"
#include "glue.h"

/* A semicolon separates frames, so names must not have any. */
static char *name_of(void *arg, const struct symbol_frame *frame)
{
	(void)arg;
	char *name = loss_frame_name(frame);
	for (char *at = name; *at != '\0'; at++) {
		if (*at == ';')
			*at = ':';
	}
	return name;
}

void export_folded(const struct export *export)
{
	struct glue glue = {
		.out = export->out,
		.symbols = export->symbols,
		.site_count = export->recording->site_count,
		.separator = ';',
		.text = name_of,
	};
	struct losses losses = losses_of(export->recording);
	struct loss loss;
	while (losses_next(&losses, &loss)) {
		glue_write(&glue, &loss, true);
		fprintf(export->out, " %" PRIu64 "\n", loss.lost_ns);
	}
	glue_fini(&glue);
}
