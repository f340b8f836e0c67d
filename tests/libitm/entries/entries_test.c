/* SPDX-License-Identifier: MIT
 * The function that a call instruction has called, found by the bytes before its return address. */

#include <string.h>
#include <sys/mman.h>

#include "entries.h"
#include "test.h"

/* Code, linkage table and slots lie close together, as in a module: displacements have 32 bits. */
static struct {
	uint8_t code[64];
	uint8_t entry[64];
	const void *slots[8];
} image;
static const char target[1];

#define CALL_END (image.code + 32)

static void put_displacement(uint8_t *place, const void *to)
{
	int32_t value = (int32_t)((uintptr_t)to - ((uintptr_t)place + 4));
	memcpy(place, &value, sizeof value);
}

/* call entry */
static void put_direct_call(const void *entry)
{
	CALL_END[-5] = 0xe8;
	put_displacement(CALL_END - 4, entry);
}

/* call *slot(%rip) */
static void put_indirect_call(const void *slot)
{
	CALL_END[-6] = 0xff;
	CALL_END[-5] = 0x15;
	put_displacement(CALL_END - 4, slot);
}

/* `prefix`, then jmp *slot(%rip) */
static void put_entry(const void *prefix, size_t len, const void *slot)
{
	memcpy(image.entry, prefix, len);
	image.entry[len] = 0xff;
	image.entry[len + 1] = 0x25;
	put_displacement(image.entry + len + 2, slot);
}

static void set_up(void)
{
	memset(&image, 0x90, sizeof image); /* nop */
	for (size_t i = 0; i < 8; i++)
		image.slots[i] = NULL;
	image.slots[3] = target;
}

static const struct test_fixture fixture = {.set_up = set_up};

TEST_WITH(fixture, a_call_through_a_slot_leads_to_its_content)
{
	put_indirect_call(&image.slots[3]);
	assert_ptr_equal(itm_access_target(CALL_END), target);
}

TEST_WITH(fixture, a_call_of_a_linkage_table_entry_leads_through_its_slot)
{
	static const struct {
		const char *bytes;
		size_t len;
	} prefixes[] = {
		{"", 0}, {"\xf3\x0f\x1e\xfa", 4},                 /* endbr64 */
		{"\xf3\x0f\x1e\xfa\xf2", 5},                      /* endbr64; bnd */
		{"\xf2", 1},                                      /* bnd */
		{"\xf3\x0f\x1e\xfa\x41\xbb\x07\x00\x00\x00", 10}, /* endbr64; mov $7, %r11d */
	};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		set_up();
		put_direct_call(image.entry);
		put_entry(prefixes[i].bytes, prefixes[i].len, &image.slots[3]);
		assert_ptr_equal(itm_access_target(CALL_END), target);
	}
}

TEST_WITH(fixture, a_call_of_ordinary_code_is_no_access)
{
	put_direct_call(image.entry); /* nops */
	assert_null(itm_access_target(CALL_END));
}

TEST_WITH(fixture, a_call_through_a_register_is_no_access)
{
	CALL_END[-2] = 0xff;
	CALL_END[-1] = 0xd0;
	assert_null(itm_access_target(CALL_END));
}

TEST_WITH(fixture, bytes_that_only_look_like_a_call_are_not_followed_out_of_the_modules)
{
	CALL_END[-5] = 0xe8; /* operand of whatever stands there; leads to nowhere */
	memset(CALL_END - 4, 0x7f, 4);
	assert_null(itm_access_target(CALL_END));
	set_up();
	CALL_END[-6] = 0xff;
	CALL_END[-5] = 0x15;
	memset(CALL_END - 4, 0x7f, 4);
	assert_null(itm_access_target(CALL_END));
}

TEST_WITH(fixture, a_slot_that_is_not_aligned_is_none)
{
	put_indirect_call((const char *)&image.slots[3] + 4);
	assert_null(itm_access_target(CALL_END));
}

TEST_WITH(fixture, an_entry_whose_jump_does_not_fit_is_none)
{
	put_direct_call(image.entry);
	put_entry("\xf3\x0f\x1e\xfa\x41\xbb\x07\x00\x00\x00\xf2", 11, &image.slots[3]);
	assert_null(itm_access_target(CALL_END));
}

TEST_WITH(fixture, code_outside_all_modules_is_not_read)
{
	assert_null(itm_access_target(NULL));
	assert_null(itm_access_target((const void *)UINTPTR_MAX));
	uint8_t *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_null(itm_access_target(page));
	assert_null(itm_access_target(page + 6));
	munmap(page, 4096);
}
