/* SPDX-License-Identifier: MIT
 * The report that this process prints of itself. */
#ifndef OWN_REPORT_H
#define OWN_REPORT_H

#include <sys/mman.h>
#include <unistd.h>

#include <stmlog/read.h>

static inline void read_report(char *report, size_t size)
{
	int file = memfd_create("report", 0);
	assert_int_equal(stmlog_report(file), 0);
	ssize_t len = pread(file, report, size - 1, 0);
	assert_true(len >= 0);
	report[len] = '\0';
	close(file);
}

#endif
