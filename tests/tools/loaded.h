/* SPDX-License-Identifier: MIT
 * Loads recordings from bytes, without a named file. */
#ifndef LOADED_H
#define LOADED_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output.h"
#include "recording.h"
#include "recording_writer.h"
#include "report_json.h"
#include "report_views.h"
#include "test.h"

/* Call recording_fini(). */
static inline enum recording_status load_bytes(struct recording *recording, const void *bytes, size_t len)
{
	char path[64];
	int fd = memfd_create("recording", 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	enum recording_status status = recording_load(recording, path);
	close(fd);
	return status;
}

/* Loads what the writer holds, and ends the writer. Call recording_fini(). */
static inline enum recording_status load_written(struct recording *recording, struct writer *writer)
{
	struct writer_blob file = writer_file(writer);
	enum recording_status status = load_bytes(recording, file.bytes, file.len);
	free(file.bytes);
	writer_fini(writer);
	return status;
}

/* The output of `make`; the caller frees it. */
static inline char *printed_report(
	struct recording *recording, struct report_options options, void (*make)(const struct report *report))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	struct symbols *symbols = symbols_create(recording);
	struct printer printer = file_printer(out);
	struct report report = {recording, symbols, options, &printer, REPORT_USUAL_FILE, NULL};
	make(&report);
	symbols_destroy(&symbols);
	fclose(out);
	return text;
}

#endif
