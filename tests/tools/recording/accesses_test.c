/* SPDX-License-Identifier: MIT */
#include "accesses.h"

#include <stmlog/read.h>

#include "loaded.h"

enum { SITES = 3, HERE = 0x1000, THERE = 0x2000, ELSEWHERE = 0x3000 };

static struct writer writer;
static struct recording recording;
static struct accesses *accesses;
static uint32_t sites[SITES], tracebacks[SITES];

static void set_up(void)
{
	writer_init(&writer);
	for (uint32_t i = 0; i < SITES; i++) {
		sites[i] = writer_place(&writer, "f", "f.c", i + 1);
		tracebacks[i] = writer_traceback(&writer, &sites[i], 1, 0);
	}
}

static void tear_down(void)
{
	accesses_destroy(&accesses);
	assert_null(accesses);
	recording_fini(&recording);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* One site, or the other transaction's, is 0 if it is not known; else its number, from 1 on. */
static void lose(const char *word, uint64_t address, uint64_t other, uint32_t local, uint32_t remote)
{
	struct stmlog_entry_record entry = {.reason = STMLOG_SELF_ABORT, .count = 1, .lost_ns = 1};
	entry.detail = writer_string(&writer, word);
	entry.objects[0].address = address;
	entry.objects[0].count = 1;
	entry.object_others[0] = other;
	entry.local = local > 0 ? tracebacks[local - 1] : 0;
	entry.remote = remote > 0 ? tracebacks[remote - 1] : 0;
	writer_entry(&writer, &entry);
}

static void list(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	accesses = accesses_create(&recording);
}

static void assert_sites(uint64_t address, const char *expected)
{
	const uint32_t *found;
	size_t number = accesses_find(accesses, address);
	assert_true(number < accesses_count(accesses));
	size_t len = accesses_of(accesses, number, &found);
	assert_int_equal(len, strlen(expected));
	for (size_t i = 0; i < len; i++)
		assert_int_equal(found[i], sites[expected[i] - '1']);
}

TEST_WITH(fixture, without_entries_no_address_is_known)
{
	list();
	assert_int_equal(accesses_count(accesses), 0);
	assert_int_equal(accesses_find(accesses, HERE), 0);
	assert_int_equal(accesses_find(accesses, 0), 0);
}

TEST_WITH(fixture, each_address_has_the_sites_of_its_entries_in_their_order)
{
	lose("LOCKED_READ", THERE, 0, 3, 1);
	lose("LOCKED_WRITE", HERE, 0, 2, 0);
	lose("VALIDATE_READ", THERE, 0, 2, 2);
	list();
	assert_int_equal(accesses_count(accesses), 2);
	assert_sites(HERE, "2");
	assert_sites(THERE, "312");
	assert_int_equal(accesses_find(accesses, HERE - 1), 2);
	assert_int_equal(accesses_find(accesses, HERE + 1), 2);
	assert_int_equal(accesses_find(accesses, UINT64_MAX), 2);
}

TEST_WITH(fixture, the_other_transaction_accesses_what_it_has_touched)
{
	lose("LOCKED_READ", HERE, ELSEWHERE, 1, 3);
	lose("USER", THERE, 0, 1, 2);
	list();
	assert_int_equal(accesses_count(accesses), 2);
	assert_sites(HERE, "1");
	assert_sites(ELSEWHERE, "3");
}
