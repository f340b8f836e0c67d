/* SPDX-License-Identifier: MIT
 * Fuzz target: reads a recording, verifies it as `stmlog check` does, and makes the sums of a report. Without the
 * views, so that it is fast: views_fuzz.c has them. */
#include <stdio.h>

#include "fuzz_limits.h"
#include "memory_file.h"
#include "printer.h"
#include "recording.h"
#include "report.h"
#include "verify.h"
#include "work.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void ignore_violation(const char *text, void *arg)
{
	(void)text;
	(void)arg;
}

static void ignore_text(void *arg, const char *bytes, size_t len)
{
	(void)arg;
	(void)bytes;
	(void)len;
}

static void add_up(const struct recording *recording)
{
	struct printer nowhere = {.write = ignore_text};
	struct report report = {
		.recording = recording, .options = {.top = REPORT_ALL}, .out = &nowhere, .file = REPORT_USUAL_FILE};
	struct work work = {.fault = NULL};
	report_sums(&report);
	if (recording->has_timeline)
		work_build(&work, recording);
	work_fini(&work);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct recording recording;
	fuzz_begin();
	memory_file_set_input(bytes, len);
	if (recording_load(&recording, MEMORY_FILE_INPUT) != RECORDING_UNUSABLE) {
		verify_recording(&recording, ignore_violation, NULL);
		add_up(&recording);
	}
	recording_fini(&recording);
	fuzz_end();
	return 0;
}
