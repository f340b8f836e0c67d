/* SPDX-License-Identifier: MIT
 * A profile and a walker in it, for one test. */
#ifndef ONE_WALKER_H
#define ONE_WALKER_H

#include "profile_text.h"

static struct stmlog_profile *profile;
static struct stmlog_walker *walker;

static void begin(void)
{
	fixture_set_up();
	profile = stmlog_profile_create(64, 16);
	walker = stmlog_walker_create(profile);
	assert_non_null(walker);
}

static void end(void)
{
	stmlog_walker_destroy(&walker);
	stmlog_profile_destroy(&profile);
	fixture_tear_down();
}

static const struct test_fixture walker_fixture = {begin, end};

#endif
