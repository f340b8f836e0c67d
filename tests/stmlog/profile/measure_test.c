/* SPDX-License-Identifier: MIT
 * Counters, where the machine has them; where it has not, that it says so. */
#include <stmlog/measure.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

enum { PAGES = 64 };

static void touch_new_pages(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE) * PAGES;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += size / PAGES)
		memory[i] = 1;
	munmap((void *)memory, size);
}

TEST(each_counter_counts_or_says_why_not)
{
	for (int what = 0; what < STMLOG_MEASURES; what++) {
		OWNED(stmlog_measure_close) struct stmlog_measure measure;
		int error = stmlog_measure_open(&measure, (enum stmlog_measured)what);
		uint64_t before = stmlog_measure_now(&measure);
		touch_new_pages();
		uint64_t counted = stmlog_measure_since(&measure, before);
		if (error == 0 && what != STMLOG_MEASURE_CACHE_MISSES && what != STMLOG_MEASURE_BRANCH_MISSES)
			assert_true(counted > 0);
		if (error != 0) {
			assert_int_equal(measure.file, -1);
			assert_int_equal(counted, 0);
			print_message("counter %d: %s\n", what, stmlog_measure_why(error));
		}
	}
}

TEST(page_faults_are_counted_exactly)
{
	OWNED(stmlog_measure_close) struct stmlog_measure faults;
	int error = stmlog_measure_open(&faults, STMLOG_MEASURE_PAGE_FAULTS);
	if (error != 0) {
		print_message("%s\n", stmlog_measure_why(error));
		skip();
	}
	touch_new_pages(); /* the code itself may have to be read in */
	uint64_t before = stmlog_measure_now(&faults);
	touch_new_pages();
	uint64_t counted = stmlog_measure_since(&faults, before);
	assert_in_range(counted, PAGES, PAGES + 8);
	assert_true(fcntl(faults.file, F_GETFD) & FD_CLOEXEC);
}

TEST(a_closed_one_counts_nothing)
{
	struct stmlog_measure measure = {.file = -1};
	assert_int_equal(stmlog_measure_now(&measure), 0);
	assert_int_equal(stmlog_measure_since(&measure, 5), 0);
	stmlog_measure_close(&measure);
	assert_int_equal(measure.file, -1);
}

TEST(counters_that_there_are_not_are_refused_and_errno_stays)
{
	struct stmlog_measure measure;
	errno = 77;
	assert_int_equal(stmlog_measure_open(&measure, STMLOG_MEASURES), -EINVAL);
	assert_int_equal(stmlog_measure_open(&measure, (enum stmlog_measured) - 1), -EINVAL);
	assert_int_equal(measure.file, -1);
	for (int what = 0; what < STMLOG_MEASURES; what++) {
		stmlog_measure_open(&measure, (enum stmlog_measured)what);
		stmlog_measure_now(&measure);
		stmlog_measure_close(&measure);
	}
	measure.file = 99999; /* cannot be read */
	assert_int_equal(stmlog_measure_now(&measure), 0);
	stmlog_measure_close(&measure);
	assert_int_equal(errno, 77);
}

TEST(each_reason_is_a_sentence_of_its_own)
{
	static const int errors[] = {0, -ENOENT, -EACCES, -ENOSYS, -EMFILE, -EBUSY, -EINVAL};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(stmlog_measure_why(errors[i]), stmlog_measure_why(errors[k]));
	assert_string_equal(stmlog_measure_why(-EPERM), stmlog_measure_why(-EACCES));
}
