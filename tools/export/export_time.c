/* SPDX-License-Identifier: MIT */
#include "export_time.h"

#include <stdlib.h>

#include "memory.h"

const char *export_time_name(enum export_time_value value)
{
	static const char *const names[EXPORT_TIME_VALUES] = {
		"entries", "time", "committed", "aborted", "paused", "waiting"};
	return names[value];
}

const char *export_time_unit(enum export_time_value value)
{
	return value == EXPORT_TIME_ENTRIES ? "count" : "nanoseconds";
}

int64_t export_time_of(const struct context *context, enum export_time_value value)
{
	const uint64_t values[EXPORT_TIME_VALUES] = {context->calls, context_time_ns(context), context->committed_ns,
		context->aborted_ns, context->paused_ns, context->waiting_ns};
	return values[value] <= INT64_MAX ? (int64_t)values[value] : INT64_MAX;
}

struct symbol_frame export_time_frame(const struct contexts *contexts, size_t context)
{
	if (contexts->at[context].frame != NULL)
		return *contexts->at[context].frame;
	const char *name = contexts_fixed_name(contexts, context);
	return (struct symbol_frame){.function = (char *)(uintptr_t)name}; /* nobody changes it */
}

static const char *text_at(struct export_time_stacks *stacks, size_t context)
{
	if (stacks->texts == NULL)
		stacks->texts = memory_zeroed(stacks->contexts->frame_count, sizeof *stacks->texts);
	char **text = &stacks->texts[stacks->contexts->at[context].frame_id];
	struct symbol_frame frame = export_time_frame(stacks->contexts, context);
	if (*text == NULL)
		*text = stacks->text(stacks->arg, &frame);
	return *text; /* cppcheck-suppress returnDanglingLifetime ; it is memory of its own */
}

void export_time_write(struct export_time_stacks *stacks, FILE *out, size_t context)
{
	size_t len = 0;
	for (; context != CONTEXTS_NONE; context = contexts_caller(stacks->contexts, context)) {
		stacks->stack = memory_grown(stacks->stack, len, &stacks->cap, sizeof *stacks->stack);
		stacks->stack[len++] = context;
	}
	while (len-- > 0) {
		fputs(text_at(stacks, stacks->stack[len]), out);
		if (len > 0)
			putc(stacks->separator, out);
	}
}

void export_time_fini(struct export_time_stacks *stacks)
{
	for (size_t i = 0; stacks->texts != NULL && i < stacks->contexts->frame_count; i++)
		free(stacks->texts[i]);
	free(stacks->texts);
	free(stacks->stack);
}
