/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "random.h"
#include "short_name.h"
#include "test.h"
#include "utf8.h"

/* ---- C++: without a C++ library on the system only plain names can be tested ---- */

static void expect_demangled(const char *name, const char *readable)
{
	OWNED(owned_free) char *found = demangle(name);
	assert_string_equal(found, readable);
}

TEST(plain_names_stay)
{
	expect_demangled("transfer", "transfer");
	expect_demangled("", "");
	expect_demangled("_start", "_start");
	expect_demangled("_Zzz not mangled at all", "_Zzz not mangled at all");
}

TEST(a_transactional_clone_has_the_name_of_its_function)
{
	expect_demangled("_ZGTt8transfer", "transfer");
}

TEST(cxx_names_are_readable)
{
	if (dlopen("libstdc++.so.6", RTLD_LAZY) == NULL)
		skip();
	expect_demangled("_ZN4bank8transferEii", "bank::transfer(int, int)");
	expect_demangled("_ZGTtN4bank8transferEii", "bank::transfer(int, int)");
}

/* ---- Haskell: symbols as GHC 9.0 and 9.6 write them, and texts that only look alike ---- */

static void expect(const char *symbol, enum haskell_label label, const char *expected)
{
	char *name;
	assert_int_equal(haskell_name(symbol, &name), label);
	if (expected != NULL)
		assert_string_equal(name, expected);
	else
		assert_null(name);
	free(name);
}

TEST(a_symbol_is_package_module_and_function)
{
	static const char *const names[][2] = {
		{"stmzm2zi5zi0zi0_ControlziConcurrentziSTMziTBQueue_readTBQueue_info",
			"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue"},
		{"base_GHCziBase_zpzp_info", "base:GHC.Base.++"},
		{"base_GHCziBase_zi_info", "base:GHC.Base.."},
		{"Main_main_info", "Main.main"},
		{"Main_main1_info", "Main.main1"},
		{"ZCMain_main_info", ":Main.main"},
		{"HUnitzm1zi6_TestziHUnit_assert_info", "HUnit-1.6:Test.HUnit.assert"},
		{"Main_ZCzpzg_con_info", "Main.:+>"},
		{"Main_ZCzpzg_con_entry", "Main.:+>"},
		{"Main_transfer_entry", "Main.transfer"},
		{"Main_transfer_closure", "Main.transfer"},
		{"Main_text_str", "Main.text"},
		{"Main_lvl_info", "Main.lvl"},
		{"Main_zdfShowOpzuzdcshow_info", "Main.$fShowOp_$cshow"},
		{"ghczmprim_GHCziTuple_Z2T_con_info", "ghc-prim:GHC.Tuple.(,)"},
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		expect(names[i][0], HASKELL_NAMED, names[i][1]);
}

TEST(a_worker_has_the_name_of_its_function)
{
	expect("stmzm2zi5zi0zi0_ControlziConcurrentziSTMziTBQueue_zdwreadTBQueue_info", HASKELL_NAMED,
		"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue");
	expect("base_GHCziException_zdwzdcshowsPrec_closure", HASKELL_NAMED, "base:GHC.Exception.$cshowsPrec");
	expect("Main_zdw_info", HASKELL_NAMED, "Main.$w");
	expect("Main_zdww_info", HASKELL_NAMED, "Main.w");
}

TEST(local_functions_of_a_name_are_told_apart)
{
	expect("_Main_go_s1Xy_info", HASKELL_NAMED, "Main.go_s1Xy");
	expect("Main_go_s1Xz_info", HASKELL_NAMED, "Main.go_s1Xz");
	expect("_bankzm0zi1_Bank_zdwgo_s1Xy_info", HASKELL_NAMED, "bank-0.1:Bank.go_s1Xy");
	expect("sat_s1Xy_info", HASKELL_NAMED, "sat_s1Xy");
	expect("lvl_r3jc_info", HASKELL_NAMED, "lvl_r3jc");
}

TEST(numbers_of_the_compiler_are_no_names)
{
	static const char *const symbols[] = {"s3ml_info", "r3jc_info", "cQY_info", "_c3oN_info", "s1PF_entry"};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		expect(symbols[i], HASKELL_UNNAMED, NULL);
}

TEST(symbols_of_others_are_left_as_they_are)
{
	static const char *const symbols[] = {"", "_", "__", "_info", "__info", "main", "transfer", "stg_ap_p_info",
		"stg_CAF_BLACKHOLE_info", "stg_WEAK_con_info", "get_itbl_info", "device_info", "go_info", "Main",
		"Main_main", "Main__main_info", "_Main_main", "Main_main__info", "a_b_c_d_e_info", "main_main_info",
		"Main_go_local_info", "base_GHCzi_map_info", "base_ziGHC_map_info", "base_GHCziio_map_info",
		"base_GHCziziIO_map_info", "_ZN4bank8transferEii", "frame_dummy", "a b_Main_main_info",
		"Main_\xff_info", "Main_m\xc3\xa4in_info", "Main_main.cold_info"};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		expect(symbols[i], HASKELL_OTHER, NULL);
}

/* Of parts that mean something, in any order. */
TEST(any_symbol_has_a_name_behind_its_module_or_none)
{
	static const char *const parts[] = {"_", "_", "_", "Main", "GHCziBase", "ZCMain", "base", "stg", "zdw", "go",
		"zi", "ZC", "s1Xy", "_info", "_con_info", "z", "Z2T", "zze"};
	enum { SYMBOLS = 200000, MAX = 9, LONGEST = 100 };
	struct random random = {1};
	size_t named[HASKELL_NAMED + 1] = {0};
	for (int i = 0; i < SYMBOLS; i++) {
		char symbol[LONGEST] = "", *name;
		for (uint32_t count = random_below(&random, MAX); count > 0; count--)
			strcat(symbol, parts[random_below(&random, sizeof parts / sizeof parts[0])]);
		strcat(symbol, random_below(&random, 2) != 0 ? "_info" : "");
		enum haskell_label label = haskell_name(symbol, &name);
		named[label]++;
		assert_int_equal(name != NULL, label == HASKELL_NAMED);
		assert_true(name == NULL || short_name_module(name) < strlen(name));
		free(name);
	}
	for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
		assert_true(named[i] > 0);
}

/* ---- Haskell: the encoding of names ---- */

static void expect_decoded(const char *text, const char *expected)
{
	OWNED(owned_free) char *decoded = z_decoded(text, strlen(text));
	if (expected != NULL)
		assert_string_equal(decoded, expected);
	else
		assert_null(decoded);
}

/* What letters[i] is for behind `first` is characters[i]. */
static void expect_one(char first, char second, const char *letters, const char *characters)
{
	const char *found = strchr(letters, second);
	expect_decoded(
		(char[]){first, second, '\0'}, found != NULL ? (char[]){characters[found - letters], '\0'} : NULL);
}

TEST(each_character_has_its_letters)
{
	expect_decoded("zazbzczdzezgzhzizlzmznzpzqzrzsztzuzvzz", "&|^$=>#.<-!+'\\/*_%z");
	expect_decoded("ZLZRZMZNZCZZ", "()[]:Z");
	expect_decoded("azzZZz", NULL);
	expect_decoded("plain", "plain");
	expect_decoded("", "");
	for (char c = 'a'; c <= 'z'; c++)
		expect_one('z', c, "abcdeghilmnpqrstuvz", "&|^$=>#.<-!+'\\/*_%z");
	for (char c = 'A'; c <= 'Z'; c++)
		expect_one('Z', c, "LRMNCZ", "()[]:Z");
}

TEST(a_number_is_the_character_of_that_code)
{
	expect_decoded("z1U", "\x01");
	expect_decoded("z41U", "A");
	expect_decoded("z7fU", "\x7f");
	expect_decoded("z80U", "\xc2\x80");
	expect_decoded("z03bbUx", "\xce\xbbx");
	expect_decoded("z7ffU", "\xdf\xbf");
	expect_decoded("z800U", "\xe0\xa0\x80");
	expect_decoded("z0ffffU", "\xef\xbf\xbf");
	expect_decoded("z10000U", "\xf0\x90\x80\x80");
	expect_decoded("z10ffffU", "\xf4\x8f\xbf\xbf");
	expect_decoded("z110000U", NULL);
	expect_decoded("z0d800U", NULL);
	expect_decoded("z0dfffU", NULL);
	expect_decoded("z0d7ffU", "\xed\x9f\xbf");
	expect_decoded("z0e000U", "\xee\x80\x80");
	expect_decoded("z0U", NULL);
	expect_decoded("z99999999999999999999U", NULL);
	expect_decoded("z41", NULL);
	expect_decoded("z41V", NULL);
	expect_decoded("z4AU", NULL);
	expect_decoded("zU", NULL);
	expect_decoded("zffU", NULL);
}

TEST(tuples_have_their_commas)
{
	expect_decoded("Z0T", "()");
	expect_decoded("Z2T", "(,)");
	expect_decoded("Z3T", "(,,)");
	expect_decoded("Z1H", "(# #)");
	expect_decoded("Z2H", "(#,#)");
	expect_decoded("aZ2Tb", "a(,)b");
	char largest[] = "(...............................................................)";
	memset(largest + 1, ',', 63);
	expect_decoded("Z64T", largest);
	expect_decoded("Z65T", NULL);
	expect_decoded("Z4294967298T", NULL);
	expect_decoded("Z2", NULL);
	expect_decoded("Z2U", NULL);
}

static bool is_utf8(const char *text)
{
	size_t len = 1;
	uint32_t point;
	for (; *text != '\0' && len > 0; text += len)
		len = utf8_read(text, &point);
	return len > 0;
}

/* Of letters that mean something, in any order. */
TEST(any_text_is_a_name_in_utf8_or_none)
{
	static const char letters[] = "zzzzzZZTHU0123456789abcdefgm_";
	enum { TEXTS = 200000, LONGEST = 12 };
	struct random random = {1};
	size_t encoded = 0;
	for (int i = 0; i < TEXTS; i++) {
		char text[LONGEST];
		size_t len = random_below(&random, LONGEST);
		for (size_t k = 0; k < len; k++)
			text[k] = letters[random_below(&random, sizeof letters - 1)];
		OWNED(owned_free) char *name = z_decoded(text, len);
		encoded += name != NULL;
		assert_true(name == NULL || is_utf8(name));
	}
	assert_in_range(encoded, TEXTS / 100, TEXTS - TEXTS / 100);
}
