/* SPDX-License-Identifier: MIT
 * The section ACCESSES of the file: there if there is a record, and then with all streams as they are. */
#include "written_file.h"

#include "child.h"

enum { MAX = 4 };

/* Streams of one transaction each, with two reads: told apart by their addresses. */
static struct stmlog_access_record records[STMLOG_ACCESS_STREAMS][MAX];
static size_t lens[STMLOG_ACCESS_STREAMS];

static void share(uint32_t id)
{
	struct stmlog_access_record *at = records[id - 1];
	at[0] = (struct stmlog_access_record){.address = 0x400000 + id, .gap_ns = -1, .kind = STMLOG_ACCESS_BEGIN};
	at[1] = (struct stmlog_access_record){0x1000 + 64 * id, 2.5f, STMLOG_ACCESS_READ, 8};
	at[2] = (struct stmlog_access_record){0x9000, 0, STMLOG_ACCESS_WRITE, STMLOG_ACCESS_SIZE_MAX};
	at[3] = (struct stmlog_access_record){.kind = STMLOG_ACCESS_COMMIT, .gap_ns = 1};
	lens[id - 1] = MAX;
	assert_true(stmlog_accesses_share(id, at, &lens[id - 1]));
}

static bool has_section(void)
{
	for (size_t at = sizeof(struct stmlog_file_header); at < len;) {
		struct stmlog_section_header header;
		memcpy(&header, bytes + at, sizeof header);
		if (header.type == STMLOG_SECTION_ACCESSES)
			return true;
		at += sizeof header + ((header.length + 7) & ~(uint64_t)7);
	}
	return false;
}

/* Whether from `at` on, there is what the thread shares; with a record of its own before. */
static bool is_stream(const char *at, uint32_t id, size_t count)
{
	const struct stmlog_access_record first = {.address = id, .kind = STMLOG_ACCESS_THREAD};
	return memcmp(at, &first, sizeof first) == 0 &&
	       memcmp(at + sizeof first, records[id - 1], count * sizeof first) == 0;
}

TEST_WITH(session_fixture, without_a_record_there_is_no_section)
{
	make_file();
	assert_false(has_section());
	share(1);
	lens[0] = 0;
	make_file();
	assert_false(has_section());
}

TEST_WITH(session_fixture, each_stream_stands_behind_its_thread)
{
	struct stmlog_section_header header;
	const size_t size = (1 + MAX) * sizeof(struct stmlog_access_record);
	for (uint32_t id = 1; id <= STMLOG_ACCESS_STREAMS; id++) {
		share(id);
		make_file();
		const char *at = section(STMLOG_SECTION_ACCESSES, &header);
		assert_int_equal(header.record_size, 16);
		assert_int_equal(header.length, id * size);
		for (uint32_t i = 1; i <= id; i++)
			assert_true(is_stream(at + (i - 1) * size, i, MAX));
	}
}

/* Of a thread that has recorded nothing yet there is only its number. */
TEST_WITH(session_fixture, a_file_has_what_there_is_when_it_is_made)
{
	struct stmlog_section_header header;
	share(1);
	share(2);
	lens[0] = 0;
	make_file();
	const char *at = section(STMLOG_SECTION_ACCESSES, &header);
	assert_int_equal(header.length, (2 + MAX) * sizeof(struct stmlog_access_record));
	assert_true(is_stream(at, 1, 0));
	assert_true(is_stream(at + sizeof(struct stmlog_access_record), 2, MAX));
	lens[0] = MAX;
	make_file();
	section(STMLOG_SECTION_ACCESSES, &header);
	assert_int_equal(header.length, 2 * (1 + MAX) * sizeof(struct stmlog_access_record));
}

TEST_WITH(session_fixture, a_forked_child_writes_none_of_its_parents)
{
	share(1);
	pid_t child = fork();
	if (child == 0) {
		make_file();
		bool is_empty = !has_section();
		share(2);
		make_file();
		struct stmlog_section_header header;
		const char *at = section(STMLOG_SECTION_ACCESSES, &header);
		_exit(is_empty && is_stream(at, 2, MAX) && header.length == 16 * (1 + MAX) ? 0 : 1);
	}
	assert_child_succeeds(child);
	make_file();
	assert_true(has_section());
}
