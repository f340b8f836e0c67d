/* SPDX-License-Identifier: MIT
 * A profile and a walker in it, for one test. */
#ifndef ONE_WALKER_H
#define ONE_WALKER_H

#include "profile_text.h"

static struct stmlog_profile *profile;
static struct stmlog_walker *walker;

static int begin(void **state)
{
	if (fixture_setup(state) != 0)
		return -1;
	profile = stmlog_profile_create(64, 16);
	walker = stmlog_walker_create(profile);
	return walker == NULL;
}

static int end(void **state)
{
	stmlog_walker_destroy(&walker);
	stmlog_profile_destroy(&profile);
	return fixture_teardown(state);
}

#define WALKER_TEST(claim) cmocka_unit_test_setup_teardown(claim, begin, end)

#endif
