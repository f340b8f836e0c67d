/* SPDX-License-Identifier: MIT
 * When lock holders count as off the processor, and when little is lost. */
#include "stories.h"

static void holders_are_on_the_processor_unless_all_speaks_against_it(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++) {
		made_begin(&made);
		lose_to_descheduled(LOST);
		if (i == 1)
			made.recording.info.processors = MADE_THREADS;
		else if (i == 2)
			made.recording.info.descheduled_known = 0;
		else if (i == 3)
			made.entries[0].count = LOST / 1000000 + 1; /* less than a millisecond each */
		else if (i == 4)
			made.threads[0].descheduled_ns -= 4;
		else if (i == 5) /* a thread that only waits for the others to end */
			made.threads[0].outside_ns = made.threads[0].attached_ns;
		else if (i == 6)
			made.threads[0].flags |= STMLOG_THREAD_SPARE;
		assert_true((finding_of(FINDING_DESCHEDULED_HOLDER) != NULL) == (i == 0));
	}
}

static void little_is_lost_below_its_part_of_the_threads_time(void **state)
{
	static const uint64_t limit_ns = (uint64_t)MADE_THREADS_NS / 20;
	(void)state;
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_elsewhere(1, limit_ns - less);
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
	}
	made_begin(&made);
	const struct copied *copied = finding_of(FINDING_LITTLE_LOST);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_are_on_the_processor_unless_all_speaks_against_it),
		cmocka_unit_test(little_is_lost_below_its_part_of_the_threads_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
