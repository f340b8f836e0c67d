/* SPDX-License-Identifier: MIT
 *
 * Tests of all scenarios of an STM. */
#ifndef TESTS_SCENARIO_TESTS_H
#define TESTS_SCENARIO_TESTS_H

/* Adds a test of each scenario, in their order, with its name: the entry of the loss has the reason, the contention,
 * the line and thread of both sides, and the time to the nanosecond. For a constructor. */
void scenario_tests_add(void);

#endif
