/* SPDX-License-Identifier: MIT
 * Writes small recordings into a directory, for the fuzzer to begin with.
 * usage: seeds DIRECTORY */
#include <stdio.h>
#include <stdlib.h>

#include "random_recording.h"
#include "recording_sample.h"

enum { OF_EACH_KIND = 8, LARGEST = 6000 };

/* Saves what the writer holds unless it is large, and ends the writer. */
static void save(struct writer *writer, const char *directory, const char *kind, int number)
{
	char path[4096];
	struct writer_blob file = writer_file(writer);
	snprintf(path, sizeof path, "%s/%s-%d", directory, kind, number);
	if (file.len <= LARGEST)
		writer_save_bytes(file.bytes, file.len, path);
	free(file.bytes);
	writer_fini(writer);
}

static void save_samples(const char *directory)
{
	static void (*const samples[])(struct writer *) = {
		recording_sample, recording_sample_weighed, recording_sample_hardware};
	for (int i = 0; i < 3; i++) {
		struct writer writer;
		samples[i](&writer);
		save(&writer, directory, "sample", i);
	}
}

static void save_random(const char *directory)
{
	static void (*const kinds[])(struct writer *, struct random *) = {
		random_recording, random_recording_sampled, random_recording_spoilt};
	struct random random = {1};
	for (int i = 0; i < 3 * OF_EACH_KIND; i++) {
		struct writer writer;
		kinds[i % 3](&writer, &random);
		save(&writer, directory, "random", i);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	save_samples(argv[1]);
	save_random(argv[1]);
	return 0;
}
