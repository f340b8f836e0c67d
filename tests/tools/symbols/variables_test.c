/* SPDX-License-Identifier: MIT
 * The members of this program's own variables, by its debug information. */
#include "loaded.h"

#include "own_module.h"
#include "symbol.h"

enum { PRICES = 3, SIDES = 2 };

struct level {
	uint32_t price, count;
};

typedef const struct level *level_pointer;

typedef struct {
	char name[6]; /* two bytes behind it belong to no member */
	uint64_t version;
	union {
		uint64_t whole;
		struct {
			uint32_t low, high;
		};
	};
	struct level levels[PRICES];
	long table[SIDES][PRICES];
	unsigned one : 3, other : 9, third : 12;
	level_pointer best;
	struct level last;
} book_type;

static volatile book_type variables_test_book;
static volatile long variables_test_number;
static struct level variables_test_levels[PRICES];

static long *in_function(void)
{
	static struct {
		long first, second;
	} local;
	return &local.second;
}

static struct recording recording;
static struct symbols *symbols;

static void begin(void)
{
	struct writer writer;
	writer_init(&writer);
	struct stmlog_module_record record = own_module();
	record.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &record);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
}

static void end(void)
{
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

static const struct test_fixture fixture = {begin, end};

static void expect_at(uint64_t address, const char *expected)
{
	OWNED(owned_free) char *name = symbols_object(symbols, address);
	assert_non_null(name);
	assert_string_equal(name, expected);
}

#define EXPECT(what, name) expect_at((uintptr_t) & (what), name)

TEST_WITH(fixture, a_member_is_named)
{
	EXPECT(variables_test_book.version, "variables_test_book.version");
	EXPECT(variables_test_book.best, "variables_test_book.best");
	EXPECT(variables_test_book.last.count, "variables_test_book.last.count");
}

TEST_WITH(fixture, an_element_has_its_index)
{
	EXPECT(variables_test_book.name[0], "variables_test_book.name[0]");
	EXPECT(variables_test_book.levels[2].count, "variables_test_book.levels[2].count");
	EXPECT(variables_test_book.table[1][2], "variables_test_book.table[1][2]");
	EXPECT(variables_test_book.table[0][1], "variables_test_book.table[0][1]");
	EXPECT(variables_test_levels[1].price, "variables_test_levels[1].price");
}

TEST_WITH(fixture, of_a_union_it_is_the_first_member)
{
	EXPECT(variables_test_book.low, "variables_test_book.whole");
	EXPECT(variables_test_book.high, "variables_test_book.whole+4");
}

TEST_WITH(fixture, a_bit_field_is_found_by_its_byte)
{
	uint64_t bits = (uintptr_t)variables_test_book.table + sizeof variables_test_book.table;
	expect_at(bits, "variables_test_book.one");
	expect_at(bits + 1, "variables_test_book.other+1");
	expect_at(bits + 2, "variables_test_book.third+1");
}

TEST_WITH(fixture, a_byte_of_no_member_has_an_offset)
{
	expect_at((uintptr_t)&variables_test_book.name[5] + 1, "variables_test_book+6");
	expect_at((uintptr_t)&variables_test_number + 3, "variables_test_number+3");
	EXPECT(variables_test_number, "variables_test_number");
}

TEST_WITH(fixture, a_variable_within_a_function_has_members_too)
{
	OWNED(owned_free) char *name = symbols_object(symbols, (uintptr_t)in_function());
	assert_non_null(name);
	assert_non_null(strstr(name, ".second"));
}
