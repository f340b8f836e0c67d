/* SPDX-License-Identifier: MIT
 * Every cause of an abort in lazystm, made by two threads. */
#include "scenario_tests.h"

__attribute__((constructor)) static void add(void)
{
	scenario_tests_add();
}
