/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include "frame_ids.h"
#include "recording_sample.h"

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static struct frame_ids *ids;

static void begin(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	ids = frame_ids_create(&recording, symbols);
}

static void end(void)
{
	frame_ids_destroy(&ids);
	assert_null(ids);
	frame_ids_destroy(&ids);
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

static uint32_t number_of(uint32_t site)
{
	struct frame_numbers numbers = frame_ids_site(ids, site);
	assert_int_equal(numbers.len, 1);
	return numbers.at[0];
}

TEST(numbers_follow_each_other_and_stay)
{
	recording_sample(&writer);
	uint32_t sites[100];
	for (uint32_t i = 0; i < 100; i++)
		sites[i] = writer_place(&writer, "f", "a.c", i);
	begin();
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 100; i++) {
			assert_int_equal(number_of(sites[99 - i]), i);
			assert_int_equal(frame_ids_frame(ids, i)->line, 99 - i);
		}
	}
	end();
}

/* An unknown name is not an empty one; pairs stay different even if their parts put together read the same. */
TEST(frames_that_read_differently_have_numbers_of_their_own)
{
	static const char *const names[][2] = {{"f", "a.c"}, {"f a.c:1", ""}, {"f", ""}, {"f a", ".c"}, {"f", "a .c"},
		{"fa", ".c"}, {"1 f", "a.c"}, {"f", "1 a.c"}, {"+1", "a"}, {"0", "a.c"}};
	enum { COUNT = sizeof names / sizeof names[0] };
	recording_sample(&writer);
	uint32_t sites[COUNT], module[2];
	for (uint32_t i = 0; i < COUNT; i++)
		sites[i] = writer_place(&writer, names[i][0], names[i][1], 1);
	for (uint32_t i = 0; i < 2; i++)
		module[i] =
			writer_module(&writer, &(struct stmlog_module_record){.start = 0x1000 + 0x1000 * i,
						       .end = 0x2000 + 0x1000 * i,
						       .path = writer_string(&writer, i == 0 ? "/gone/a" : "/gone/b"),
						       .bias = 0x1000 * i});
	uint32_t addresses[] = {writer_address(&writer, module[0], 0x1234), writer_address(&writer, module[0], 0x1235),
		writer_address(&writer, module[1], 0x2234), writer_address(&writer, STMLOG_NO_MODULE, 0x1234)};
	begin();
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(number_of(sites[i]), i);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(number_of(addresses[i]), COUNT + i);
	end();
}
