/* SPDX-License-Identifier: MIT
 * The spread of the regions of each tag: which regions count, and that each tag has its own. */
#include "loaded.h"

#include <math.h>

#include "region_spread.h"
#include "timeline_text.h"
#include "work.h"

static struct writer writer;
static struct recording recording;
static struct work work;
static struct region_spread *spreads;

static void build(const char *text)
{
	timeline_text(&writer, 1, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_true(work_build(&work, &recording));
	spreads = region_spreads(&work.regions);
}

static void drop(void)
{
	free(spreads);
	work_fini(&work);
	recording_fini(&recording);
}

TEST(without_regions_there_are_no_spreads)
{
	build("5 1 mark 1 here\n");
	assert_int_equal(work.regions.tag_count, 0);
	drop();
}

/* Times 10, 20 and 60; speeds 0.3, 0.3 and 0.1 per ns. */
TEST(each_tag_has_the_spread_of_its_own_regions)
{
	build("0 1 region-begin 3 b\n10 1 region-end\n20 1 region-begin 0 a\n120 1 region-end\n"
	      "200 1 region-begin 6 b\n220 1 region-end\n300 1 region-begin 0 b\n360 1 region-end 6\n");
	assert_string_equal(work.regions.tags[0].tag, "a");
	assert_int_equal(spreads[0].ended, 1);
	assert_int_equal(spreads[0].worked, 0);
	assert_true(spreads[0].time_ns.min == 100 && spreads[0].time_ns.max == 100);
	assert_int_equal(spreads[1].ended, 3);
	assert_int_equal(spreads[1].worked, 3);
	assert_true(spreads[1].time_ns.median == 20 && spreads[1].time_ns.max == 60);
	assert_true(fabs(spreads[1].speed.min - 1e8) < 1 && fabs(spreads[1].speed.median - 3e8) < 1);
	drop();
}

TEST(open_regions_have_no_time_and_regions_without_work_no_speed)
{
	build("0 1 region-begin 3 a\n10 1 region-end\n20 1 region-begin 0 a\n60 1 region-end\n"
	      "70 1 region-begin 9 a\n100 1 region-begin 9 open\n");
	size_t open = strcmp(work.regions.tags[0].tag, "open") == 0 ? 0 : 1;
	assert_int_equal(spreads[open].ended, 0);
	assert_int_equal(spreads[!open].ended, 2);
	assert_int_equal(spreads[!open].worked, 1);
	assert_true(spreads[!open].time_ns.max == 40);
	drop();
}
