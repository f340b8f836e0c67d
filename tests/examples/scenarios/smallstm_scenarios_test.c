/* SPDX-License-Identifier: MIT
 * Every row of the table of causes, made by two threads of smallstm. */
#include "scenario_tests.h"

__attribute__((constructor)) static void add(void)
{
	scenario_tests_add();
}
