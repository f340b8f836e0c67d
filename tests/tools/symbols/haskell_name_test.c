/* SPDX-License-Identifier: MIT
 * Symbols as GHC 9.0 and 9.6 write them, and texts that only look alike. */
#include <stdlib.h>
#include <string.h>

#include "haskell_name.h"
#include "random.h"
#include "short_name.h"
#include "test.h"

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
