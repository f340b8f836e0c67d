/* SPDX-License-Identifier: MIT */

#include "number.h"
#include "test.h"

TEST(counts_have_commas_between_thousands)
{
	assert_string_equal(number_count(0).text, "0");
	assert_string_equal(number_count(999).text, "999");
	assert_string_equal(number_count(1000).text, "1,000");
	assert_string_equal(number_count(999999).text, "999,999");
	assert_string_equal(number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

TEST(times_have_the_unit_that_suits_them)
{
	assert_string_equal(number_time(0).text, "0 ns");
	assert_string_equal(number_time(999).text, "999 ns");
	assert_string_equal(number_time(1000).text, "1.0 us");
	assert_string_equal(number_time(12149).text, "12.1 us");
	assert_string_equal(number_time(999949).text, "999.9 us");
	assert_string_equal(number_time(999950).text, "1.0 ms");
	assert_string_equal(number_time(212300000).text, "212.3 ms");
	assert_string_equal(number_time(999949999).text, "999.9 ms");
	assert_string_equal(number_time(999950000).text, "1.00 s");
	assert_string_equal(number_time(UINT64_MAX).text, "18446744073.71 s");
}

TEST(bytes_have_the_unit_that_suits_them)
{
	assert_string_equal(number_bytes(0).text, "0 bytes");
	assert_string_equal(number_bytes(999).text, "999 bytes");
	assert_string_equal(number_bytes(1499).text, "1 kB");
	assert_string_equal(number_bytes(65536).text, "66 kB");
	assert_string_equal(number_bytes(999600).text, "1 MB");
	assert_string_equal(number_bytes(UINT64_MAX).text, "18446744 TB");
}

TEST(a_share_of_nothing_is_no_number)
{
	assert_string_equal(number_share(0, 0).text, "-");
	assert_string_equal(number_share(5, 0).text, "-");
	assert_string_equal(number_share(0, 5).text, "0.0 %");
	assert_string_equal(number_share(1, 3).text, "33.3 %");
	assert_string_equal(number_share(UINT64_MAX, UINT64_MAX).text, "100.0 %");
	assert_string_equal(number_share(UINT64_MAX, 1).text, "1844674407370955161600.0 %");
}

TEST(rates_are_rounded_counts_per_second)
{
	assert_string_equal(number_rate(3, 2000000000).text, "2");
	assert_string_equal(number_rate(5000, 500000000).text, "10,000");
	assert_string_equal(number_rate(7, 0).text, "-");
	assert_string_equal(number_rate(UINT64_MAX, 1).text, "1,000,000,000,000,000,000");
}

TEST(only_whole_decimal_numbers_that_fit_are_read)
{
	static const char *const refused[] = {"", " 1", "1 ", "+1", "-1", "0x10", "1.0", "18446744073709551616", "ten"};
	uint64_t value = 7;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_false(number_parse(refused[i], &value));
	assert_int_equal(value, 7);
	assert_true(number_parse("18446744073709551615", &value));
	assert_true(value == UINT64_MAX);
	assert_true(number_parse("007", &value));
	assert_int_equal(value, 7);
}

TEST(seconds_are_read_to_the_nanosecond)
{
	static const char *const refused[] = {"", ".", ".5", "1.", "1.0000000001", "-1", "1e3", " 1", "1 ", "1.5x",
		"1.-5", "18446744074", "99999999999999999999999"};
	uint64_t ns = 7;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_false(number_parse_seconds(refused[i], &ns));
	assert_int_equal(ns, 7);
	assert_true(number_parse_seconds("0", &ns));
	assert_int_equal(ns, 0);
	assert_true(number_parse_seconds("12", &ns));
	assert_int_equal(ns, 12000000000);
	assert_true(number_parse_seconds("0.000000001", &ns));
	assert_int_equal(ns, 1);
	assert_true(number_parse_seconds("18446744073.709551615", &ns));
	assert_true(ns == UINT64_MAX);
}

TEST(shares_are_numbers_or_percents)
{
	static const char *const refused[] = {"", "%", "-1", "+1", "1e", "10 %", "10%%", "nan", "inf", "x", "0x1p9999"};
	double share = 7;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_false(number_parse_share(refused[i], &share));
	assert_true(share == 7);
	assert_true(number_parse_share("0", &share));
	assert_true(share == 0);
	assert_true(number_parse_share("0.25", &share));
	assert_true(share == 0.25);
	assert_true(number_parse_share("25%", &share));
	assert_true(share == 0.25);
	assert_true(number_parse_share("12.5%", &share));
	assert_true(share == 0.125);
}

TEST(decimals_are_cut_not_rounded)
{
	assert_string_equal(number_decimal(0, NUMBER_S, 9).text, "0.000000000");
	assert_string_equal(number_decimal(12000000345, NUMBER_S, 9).text, "12.000000345");
	assert_string_equal(number_decimal(UINT64_MAX, NUMBER_S, 9).text, "18446744073.709551615");
	assert_string_equal(number_decimal(1999, 1000, 1).text, "1.9");
	assert_string_equal(number_decimal(1999, 1000, 0).text, "1");
	assert_string_equal(number_decimal(7, 1, 0).text, "7");
}

TEST(a_time_before_the_beginning_is_negative)
{
	assert_string_equal(number_since(1000, 2500).text, "0.000001500");
	assert_string_equal(number_since(2500, 1000).text, "-0.000001500");
	assert_string_equal(number_since(5, 5).text, "0.000000000");
	assert_string_equal(number_since(UINT64_MAX, 0).text, "-18446744073.709551615");
}
