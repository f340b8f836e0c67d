/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "keyed.h"
#include "random.h"

static void a_new_record_is_zero_and_an_old_one_has_what_was_put_there(void **state)
{
	(void)state;
	enum { KEYS = 100, STEPS = 5000 };
	struct keyed keyed = {.size = 3 * sizeof(uint64_t)};
	struct random random = {5};
	uint64_t sums[KEYS] = {0}, *record;
	for (size_t i = 0; i < STEPS; i++) {
		uint32_t key = random_below(&random, KEYS), more = 1 + random_below(&random, 9);
		bool is_new;
		record = keyed_find(&keyed, &key, sizeof key, &is_new);
		assert_int_equal(is_new, sums[key] == 0);
		assert_int_equal(record[0], sums[key]);
		assert_int_equal(record[2], sums[key]);
		record[0] += more;
		record[2] += more;
		sums[key] += more;
	}
	assert_int_equal(keyed_count(&keyed), KEYS);
	keyed_fini(&keyed);
}

static void keys_of_any_length_tell_records_apart(void **state)
{
	(void)state;
	struct keyed keyed = {.size = 1};
	bool is_new;
	*(char *)keyed_find(&keyed, "ab", 2, &is_new) = 1;
	*(char *)keyed_find(&keyed, "a", 1, &is_new) = 2;
	assert_true(is_new);
	assert_int_equal(*(char *)keyed_find(&keyed, "ab", 2, &is_new), 1);
	assert_int_equal(((char *)keyed.records)[1], 2);
	keyed_fini(&keyed);
	assert_int_equal(keyed_count(&keyed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_record_is_zero_and_an_old_one_has_what_was_put_there),
		cmocka_unit_test(keys_of_any_length_tell_records_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
