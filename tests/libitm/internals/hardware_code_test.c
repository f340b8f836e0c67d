/* SPDX-License-Identifier: MIT
 * Recognising libitm's begin byte by byte, and reading its operands. */
#include <stdlib.h>
#include <string.h>

#include "hardware_code.h"
#include "test.h"

/* As gcc 12 to 16 have it, and gcc 10, in hexadecimal; L, F and B are displacements to the lock's first word, to its
 * second and to GTM_begin_transaction(), which the test fills in. */
static const char newer[] =
	"f30f1efa 833dFFFFFFFF00 743c f7c708000000 7434 c7f821000000 833dLLLLLLLL00 7515 833dFFFFFFFF00 740c 83e702"
	"b801000000 0f45c7 c3 c6f8ff a903000000 7406 81cf00008000 488d442408 4883ec48 893c24 488940b8 488958c0 488968c8"
	"4c8960d0 4c8968d8 4c8970e0 4c8978e8 4831d2 f3480f1eca 488950f0 488d70b8 e8BBBBBBBB 8b3c24 4883c448 83f820 7511"
	"81e7ffff7fff 81cf00000001 e972ffffff c3";
static const char older[] =
	"833dFFFFFFFF00 743c f7c708000000 7434 c7f821000000 833dLLLLLLLL00 7515 833dFFFFFFFF00 740c 83e702"
	"b801000000 0f45c7 c3 c6f8ff a903000000 7406 81cf00008000 488d442408 4883ec48 893c24 488940b8 488958c0 488968c8"
	"4c8960d0 4c8968d8 4c8970e0 4c8978e8 4831d2 488950f0 488d70b8 e8BBBBBBBB 8b3c24 4883c448 83f820 7511"
	"81e7ffff7fff 81cf00000001 e977ffffff c3";

/* Nothing is there: it is not looked at. */
#define FAR 0x123456

static uint8_t code[ITM_HARDWARE_CODE_MAX];

static uintptr_t lock_at(void)
{
	return (uintptr_t)code + FAR;
}

static uintptr_t software_at(void)
{
	return (uintptr_t)code - FAR;
}

static void put_displacement(uint8_t *at, uintptr_t to, size_t behind)
{
	int32_t displacement = (int32_t)(to - ((uintptr_t)at + behind));
	memcpy(at, &displacement, sizeof displacement);
}

/* Returns the number of bytes. In `holes`, the bytes of operands are 0xff. */
static size_t write_code(const char *text, uint8_t *holes)
{
	size_t len = 0;
	memset(code, 0x90, sizeof code);
	memset(holes, 0, sizeof code);
	for (const char *c = text; *c != '\0';) {
		if (*c == ' ') {
			c++;
		} else if (strchr("FLB", *c) != NULL && c[1] == *c) {
			uintptr_t to = *c == 'B' ? software_at() : lock_at() + (*c == 'F' ? 4 : 0);
			put_displacement(code + len, to, *c == 'B' ? 4 : 5);
			memset(holes + len, 0xff, 4);
			len += 4;
			c += 8;
		} else {
			char byte[3] = {c[0], c[1], '\0'};
			code[len++] = (uint8_t)strtoul(byte, NULL, 16);
			c += 2;
		}
	}
	return len;
}

static void assert_known(const char *text, size_t len)
{
	uint8_t holes[sizeof code];
	struct itm_hardware_code found = {NULL, NULL};
	assert_int_equal(write_code(text, holes), len);
	assert_true(itm_hardware_code_read(code, &found));
	assert_int_equal((uintptr_t)found.lock, lock_at());
	assert_int_equal((uintptr_t)found.software_begin, software_at());
}

TEST(the_begins_of_gcc_10_to_16_are_known)
{
	assert_known(newer, ITM_HARDWARE_CODE_MAX);
	assert_known(older, ITM_HARDWARE_CODE_MAX - 9);
}

/* A begin that differs in one bit is not recognised; but operands may have any value. */
TEST(with_any_bit_flipped_it_is_not_known)
{
	static const char *const texts[] = {newer, older};
	uint8_t holes[sizeof code];
	for (size_t i = 0; i < 2; i++) {
		size_t len = write_code(texts[i], holes), call = 0;
		for (size_t at = 0; at < len; at++)
			if (code[at] == 0xe8 && holes[at + 1] != 0)
				call = at;
		assert_true(call != 0);
		for (size_t bit = 0; bit < 8 * len; bit++) {
			struct itm_hardware_code found = {NULL, NULL};
			bool is_call = bit / 8 > call && bit / 8 <= call + 4;
			code[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(itm_hardware_code_read(code, &found), is_call);
			assert_true(is_call || found.lock == NULL);
			code[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}
