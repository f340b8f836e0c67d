/* SPDX-License-Identifier: MIT
 * Runs an exporter; and a timeline with each kind of bar, each way to end, and both kinds of arrows. */
#ifndef EXPORTED_H
#define EXPORTED_H

#include "loaded.h"

#include <stmlog/timeline.h>

#include "export.h"
#include "recording_sample.h"

/* The output of an exporter for the recording in the writer. The caller frees it. */
static inline char *exported_of(struct writer *writer, const char *format, enum export_of of, size_t *len)
{
	OWNED(recording_fini) struct recording recording;
	struct work work;
	char *bytes = NULL;
	assert_int_equal(load_written(&recording, writer), RECORDING_WHOLE);
	OWNED(symbols_destroy) struct symbols *symbols = symbols_create(&recording);
	bool is_whole = work_build(&work, &recording);
	struct export export = {&recording, symbols, open_memstream(&bytes, len), NULL, is_whole ? &work : NULL, of};
	const struct exporter *exporter = exporters;
	while (strcmp(exporter->name, format) != 0)
		exporter++;
	exporter->write(&export);
	fclose(export.out);
	work_fini(&work);
	return bytes;
}

static inline char *exported(struct writer *writer, const char *format, size_t *len)
{
	return exported_of(writer, format, EXPORT_OF_ANY, len);
}

/* The same for a format that is text. */
static inline char *exported_text(struct writer *writer, const char *format)
{
	size_t len = 0;
	return exported(writer, format, &len);
}

/* Adds paths to the recording: three below main, one of which repeats itself, one without a traceback, and one for
 * which there was no room. */
static inline void write_paths(struct writer *writer)
{
	uint32_t main_site = writer_place(writer, "main", "bank.c", 9),
		 audit = writer_place(writer, "audit", "bank.c", 7);
	uint32_t leaf = writer_place(writer, "leaf", "bank.c", 5);
	const uint32_t stacks[][4] = {{main_site}, {audit, main_site}, {leaf, leaf, leaf, main_site}};
	const uint32_t lens[] = {1, 2, 4};
	for (size_t i = 0; i < 5; i++) {
		struct stmlog_path_record path = {
			.traceback = i < 3 ? writer_traceback(writer, stacks[i], lens[i], 0) : 0,
			.flags = i == 4 ? STMLOG_PATH_OVERFLOW : 0,
			.commits = 1 + i,
			.aborts = 1,
			.committed_ns = 1000 + i,
			.aborted_ns = 200,
			.paused_ns = i == 1 ? 30 : 0,
			.waiting_ns = 4};
		writer_path(writer, &path);
	}
}

enum { SAMPLE_BEGAN_NS = 2000000000, SAMPLE_BARS = 12, SAMPLE_ARROWS = 2 };

/* Places: 1 transfer at bank.c:61, 2 the word alone. */
static const struct stmlog_event_record sample_events[] = {
	{.time_ns = 1001, .thread = 1, .kind = STMLOG_EVENT_ATTACH},
	{.time_ns = 1001, .thread = 2, .kind = STMLOG_EVENT_ATTACH},
	{.time_ns = 1010, .thread = 1, .place = 1, .kind = STMLOG_EVENT_START},
	{.time_ns = 1011, .thread = 2, .place = 1, .kind = STMLOG_EVENT_START},
	{.time_ns = 1012, .thread = 1, .other = 2, .kind = STMLOG_EVENT_CONTENTION, .detail = STMLOG_EVENT_ABORT_OTHER},
	{.time_ns = 1013, .thread = 1, .other = 2, .kind = STMLOG_EVENT_ABORT_OTHER},
	{.time_ns = 1020,
		.thread = 2,
		.other = 1,
		.place = 1,
		.argument = 0x1230,
		.kind = STMLOG_EVENT_ABORT,
		.reason = STMLOG_ABORTED_BY_OTHER,
		.contention = STMLOG_WRITE_READ,
		.detail = STMLOG_GRADE_CERTAIN},
	{.time_ns = 1021, .thread = 1, .kind = STMLOG_EVENT_COMMIT},
	{.time_ns = 1022, .thread = 2, .kind = STMLOG_EVENT_START},
	{.time_ns = 1022, .thread = 2, .other = 1, .kind = STMLOG_EVENT_ABORT, .contention = STMLOG_WRITE_WRITE},
	{.time_ns = 1022, .thread = 2, .kind = STMLOG_EVENT_WAIT_BEGIN, .reason = STMLOG_WAIT},
	{.time_ns = 2030, .thread = 2, .kind = STMLOG_EVENT_WAIT_END},
	{.time_ns = 2031, .thread = 1, .argument = 5, .kind = STMLOG_EVENT_TASK_CREATE},
	{.time_ns = 2032, .thread = 1, .argument = 5, .kind = STMLOG_EVENT_TASK_START},
	{.time_ns = 2033, .thread = 1, .place = 2, .argument = 100, .kind = STMLOG_EVENT_REGION_BEGIN},
	{.time_ns = 2033, .thread = 1, .place = 2, .argument = 1, .kind = STMLOG_EVENT_REGION_BEGIN},
	{.time_ns = 2034, .thread = 1, .argument = 6, .kind = STMLOG_EVENT_TOUCH_PAUSE},
	{.time_ns = 2035, .thread = 1, .argument = 6, .kind = STMLOG_EVENT_TOUCH_RESUME},
	{.time_ns = 2036, .thread = 1, .argument = 7, .kind = STMLOG_EVENT_REGION_END},
	{.time_ns = 2037, .thread = 1, .place = 2, .argument = 42, .kind = STMLOG_EVENT_COUNTER},
	{.time_ns = 2038, .thread = 2, .place = 2, .argument = UINT64_MAX, .kind = STMLOG_EVENT_COUNTER},
	{.time_ns = 2039, .thread = 1, .place = 2, .argument = 3, .kind = STMLOG_EVENT_MARK},
	{.time_ns = 2040, .thread = 1, .argument = 5, .kind = STMLOG_EVENT_TASK_END},
	{.time_ns = 2041, .thread = 2, .kind = STMLOG_EVENT_START},
	{.time_ns = 2042, .thread = 2, .place = 50, .argument = 9, .kind = STMLOG_EVENT_MISSING},
	{.time_ns = 2095, .thread = 2, .kind = STMLOG_EVENT_COMMIT},
	{.time_ns = 2096, .thread = 2, .kind = STMLOG_EVENT_START},
	{.time_ns = 2097, .thread = 1, .kind = STMLOG_EVENT_START},
	{.time_ns = 2098, .thread = 1, .kind = STMLOG_EVENT_DETACH},
};

static inline void write_sample(struct writer *writer, const char *function, const char *word)
{
	recording_sample(writer);
	uint32_t site = writer_place(writer, function, "bank.c", 61);
	uint32_t traceback = writer_traceback(writer, &site, 1, 0);
	char began[32];
	snprintf(began, sizeof began, "began_ns=%d", SAMPLE_BEGAN_NS);
	writer_info(writer, began);
	writer_event_place(writer, &(struct stmlog_place_record){0});
	writer_event_place(writer, &(struct stmlog_place_record){.traceback = traceback});
	writer_event_place(writer, &(struct stmlog_place_record){.word = writer_string(writer, word)});
	for (size_t i = 0; i < sizeof sample_events / sizeof sample_events[0]; i++) {
		struct stmlog_event_record event = sample_events[i];
		event.time_ns += SAMPLE_BEGAN_NS;
		writer_event(writer, &event);
	}
}

#endif
