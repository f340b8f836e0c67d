/* SPDX-License-Identifier: MIT
 * Losses, or all time by call path, as folded stacks, the input of scripts that draw flame graphs: a line for each loss
 * or path, with its frames and its nanoseconds. A line has one number, so a file has one of the two. */
#include <inttypes.h>

#include "export.h"
#include "export_time.h"
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

static void write_losses(const struct export *export)
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

static void write_times(const struct export *export)
{
	struct contexts contexts = contexts_init(export->recording, export->symbols);
	struct export_time_stacks stacks = {.contexts = &contexts, .separator = ';', .text = name_of};
	for (size_t i = 0; i < contexts.len; i++) {
		int64_t ns = export_time_of(&contexts.at[i], EXPORT_TIME_ALL);
		if (ns == 0)
			continue;
		export_time_write(&stacks, export->out, i);
		fprintf(export->out, " %" PRId64 "\n", ns);
	}
	export_time_fini(&stacks);
	contexts_fini(&contexts);
}

void export_folded(const struct export *export)
{
	if (export->view.of == EXPORT_OF_TIME)
		write_times(export);
	else
		write_losses(export);
}
