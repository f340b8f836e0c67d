/* SPDX-License-Identifier: MIT
 * Fuzz target: runs one command on the input, as the shell would, chosen by a byte of the input. Checks its output:
 * JSON must parse, and text must be neutral (neutral.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "command.h"
#include "fuzz_limits.h"
#include "memory_file.h"
#include "neutral.h"
#include "recording_sample.h"
#include "sections.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum form { TEXT, JSON, BINARY };
enum { MAX_WORDS = 8 };

#define INPUT MEMORY_FILE_INPUT
#define OTHER MEMORY_FILE_OTHER

static const struct view {
	const struct command *command;
	enum form form;
	const char *words[MAX_WORDS];
} views[] = {
	{&cmd_report, TEXT, {INPUT}},
	{&cmd_report, TEXT, {"--full", "--top=100000", INPUT}},
	{&cmd_report, TEXT, {"--by=site", "--sort=count", INPUT}},
	{&cmd_report, TEXT, {"--by=pair", "--top=1000", INPUT}},
	{&cmd_report, TEXT, {"--by=object", "--sort=longest", INPUT}},
	{&cmd_report, TEXT, {"--by=thread", "--full", INPUT}},
	{&cmd_report, TEXT, {"--by=process", INPUT}},
	{&cmd_report, TEXT, {"--by=cause", INPUT}},
	{&cmd_report, TEXT, {"--by=path", "--top=1000", INPUT}},
	{&cmd_report, TEXT, {"--by=transaction", "--top=1000", INPUT}},
	{&cmd_report, TEXT, {INPUT, OTHER}},
	{&cmd_report, JSON, {"--json", INPUT}},
	{&cmd_report, JSON, {"--json", "--by=cause", "--top=2", INPUT}},
	{&cmd_annotate, TEXT, {"--top=1000", "--input=" INPUT}},
	{&cmd_annotate, TEXT, {"--input=" INPUT, "--srcdir=.", "a"}},
	{&cmd_check, TEXT, {INPUT}},
	{&cmd_info, TEXT, {INPUT}},
	{&cmd_merge, TEXT, {"-o", "/dev/null", INPUT}},
	{&cmd_merge, TEXT, {"-o", "/dev/null", INPUT, OTHER}},
	{&cmd_merge, TEXT, {"-o", "/dev/null", OTHER, INPUT, INPUT}},
	{&cmd_anonymize, TEXT, {INPUT, "/dev/null"}},
	{&cmd_diff, TEXT, {OTHER, OTHER, "--", INPUT, INPUT}},
	{&cmd_diff, TEXT, {"--metric=aborts", INPUT, OTHER, "--", INPUT, OTHER}},
	{&cmd_diff, JSON, {"--json", "--metric=rate", INPUT, INPUT, "--", OTHER, OTHER}},
	{&cmd_diff, JSON, {"--json", "--metric=paused", INPUT, OTHER, "--", OTHER, OTHER}},
	{&cmd_diff, TEXT, {"--format=markdown", "--metric=throughput", INPUT, OTHER, "--", INPUT, OTHER}},
	{&cmd_diff, TEXT, {"--format=markdown", OTHER, OTHER, "--", INPUT, INPUT}},
	{&cmd_export, BINARY, {"--format=pprof", INPUT}},
	{&cmd_export, BINARY, {"--format=pprof", "--of=time", INPUT}},
	{&cmd_export, TEXT, {"--format=folded", INPUT}},
	{&cmd_export, TEXT, {"--format=folded", "--of=time", INPUT}},
	{&cmd_export, JSON, {"--format=json", INPUT}},
	{&cmd_export, TEXT, {"--format=text", INPUT}},
	{&cmd_export, BINARY, {"--format=perfetto", INPUT}},
	{&cmd_export, TEXT, {"--format=graph", INPUT}},
};
enum { VIEWS = sizeof views / sizeof views[0] };

static void stop(const struct view *view, const char *why, const char *text, size_t len)
{
	fprintf(stderr, "stmlog: %s %s: %s: %.*s\n", view->command->name, view->words[0], why, (int)len, text);
	abort();
}

static void check_output(const struct view *view, const char *text, size_t len)
{
	size_t at = 0, rest;
	if (view->form == BINARY || len == 0)
		return;
	if (!text_is_neutral(text, len, &at)) {
		rest = len - at;
		stop(view, "the output is not neutral", text + at, rest < 40 ? rest : 40);
	}
	if (view->form != JSON)
		return;
	json_error_t error;
	json_t *value = json_loadb(text, len, JSON_DECODE_INT_AS_REAL, &error); /* integers may have 64 bits */
	if (value == NULL)
		stop(view, error.text, text, len);
	json_decref(value);
}

/* Runs the command with stdout and stderr in memory. */
static void run(const struct view *view)
{
	FILE *outputs[2] = {stdout, stderr};
	char *texts[2], *words[MAX_WORDS + 2] = {(char *)(uintptr_t)view->command->name};
	size_t lens[2];
	int count = 1;
	for (; view->words[count - 1] != NULL; count++)
		words[count] = (char *)(uintptr_t)view->words[count - 1];
	stdout = open_memstream(&texts[0], &lens[0]);
	stderr = open_memstream(&texts[1], &lens[1]);
	view->command->run(view->command, count, words);
	fclose(stdout);
	fclose(stderr);
	stdout = outputs[0];
	stderr = outputs[1];
	struct view complaints = *view;
	complaints.form = TEXT;
	check_output(view, texts[0], lens[0]);
	check_output(&complaints, texts[1], lens[1]);
	free(texts[0]);
	free(texts[1]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	struct writer writer;
	recording_sample(&writer);
	struct writer_blob other = writer_file(&writer);
	writer_fini(&writer);
	memory_file_set_other(other.bytes, other.len); /* to the end of the process */
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	fuzz_begin();
	memory_file_set_input(bytes, len);
	run(&views[fuzz_choice(bytes, len) % VIEWS]);
	fuzz_end();
	return 0;
}
