/* SPDX-License-Identifier: MIT
 * Writes small recordings into a directory, for the fuzzer to begin with.
 * usage: seeds DIRECTORY */
#include <stdio.h>

#include "recording_sample.h"

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	static void (*const samples[])(struct writer *) = {
		recording_sample, recording_sample_weighed, recording_sample_processes, recording_sample_hardware};
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		struct writer writer;
		char path[4096];
		snprintf(path, sizeof path, "%s/sample-%zu", argv[1], i);
		samples[i](&writer);
		writer_save(&writer, path);
		writer_fini(&writer);
	}
	return 0;
}
