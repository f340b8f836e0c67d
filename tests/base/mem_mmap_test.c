/* SPDX-License-Identifier: MIT
 * Where pieces of memory lie, and what becomes of them: many share one mapping of the kernel's, and none is left when
 * all are freed. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "mem.h"
#include "random.h"
#include "test.h"

enum {
	PAGE = 4096,
	PIECE = 64 * PAGE,  /* the largest piece that shares a mapping */
	CHUNK = 16 * PIECE, /* such a mapping */
	CHUNKS_MAX = 128,
	MANY = CHUNK / PAGE + 1, /* pages; one more than a chunk has */
};

/* Builds for sanitizers take pieces from malloc(). */
static bool has_no_checker(void)
{
	return !has_checker();
}

static bool is_mapped(void *page)
{
	unsigned char resident;
	return mincore(page, 1, &resident) == 0 || errno != ENOMEM;
}

static bool is_zeroed(const char *memory, size_t size)
{
	return size == 0 || (memory[0] == 0 && memcmp(memory, memory + 1, size - 1) == 0);
}

static size_t distance(const char *a, const char *b)
{
	return (size_t)(a < b ? b - a : a - b);
}

TEST_IF(has_no_checker, pieces_share_a_mapping_until_it_is_full_and_leave_nothing_behind)
{
	char *pages[MANY];
	for (size_t i = 0; i < MANY; i++) {
		pages[i] = mem_alloc(i % 2 == 0 ? PAGE : 1);
		assert_non_null(pages[i]);
		assert_int_equal(distance(pages[i], pages[0]) < CHUNK, i < MANY - 1);
		memset(pages[i], -1, 1);
	}
	for (size_t i = 0; i < MANY; i++)
		mem_free(pages[i], i % 2 == 0 ? PAGE : 1);
	for (size_t i = 0; i < MANY; i++)
		assert_false(is_mapped(pages[i]));
}

TEST_IF(has_no_checker, a_piece_above_the_limit_has_a_mapping_of_its_own)
{
	char *first = mem_alloc(PIECE), *second = mem_alloc(PIECE), *large = mem_alloc(PIECE + 1);
	assert_true(distance(first, second) < CHUNK);
	assert_false(large >= first && distance(first, large) < CHUNK);
	mem_free(large, PIECE + 1);
	assert_false(is_mapped(large));
	mem_free(first, PIECE);
	assert_true(is_mapped(first));
	mem_free(second, PIECE);
	assert_false(is_mapped(first));
}

/* So that nothing waits for the memory of all to be free. */
TEST_IF(has_no_checker, the_pages_of_a_freed_piece_go_back_to_the_kernel_while_others_are_in_use)
{
	unsigned char resident = 1;
	char *used = mem_alloc(1), *freed = mem_alloc(PAGE);
	memset(freed, 1, PAGE);
	mem_free(freed, PAGE);
	assert_int_equal(mincore(freed, 1, &resident), 0);
	assert_int_equal(resident & 1, 0);
	mem_free(used, 1);
}

TEST_IF(has_no_checker, pieces_beyond_the_last_chunk_have_mappings_of_their_own)
{
	static char *pieces[CHUNKS_MAX * (CHUNK / PIECE) + 2];
	size_t len = sizeof pieces / sizeof pieces[0];
	for (size_t i = 0; i < len; i++)
		assert_non_null(pieces[i] = mem_alloc(PIECE));
	pieces[len - 1][0] = pieces[0][PIECE - 1] = 1;
	for (size_t i = 0; i < len; i++)
		mem_free(pieces[i], PIECE);
	assert_false(is_mapped(pieces[0]));
	assert_false(is_mapped(pieces[len - 1]));
	assert_int_equal(mem_live_bytes(), 0);
}

static bool is_zeroed_when_allocated_again(void)
{
	char *used = mem_alloc(1), *piece = mem_alloc(2 * PAGE);
	memset(piece, -1, 2 * PAGE);
	mem_free(piece, 2 * PAGE);
	char *again = mem_alloc(PAGE + 1);
	bool is_right = again == piece && is_zeroed(again, 2 * PAGE);
	mem_free(again, PAGE + 1);
	mem_free(used, 1);
	return is_right;
}

TEST_IF(has_no_checker, a_piece_is_zeroed_where_the_program_may_not_call_madvise)
{
	assert_true(is_zeroed_when_allocated_again());
	if (in_forked_child()) {
		mem_stop_madvise();
		_exit(!is_zeroed_when_allocated_again());
	}
}

/* The kernel refuses to take pages back that are locked. */
TEST_IF(has_no_checker, a_piece_is_zeroed_where_the_program_has_locked_its_memory)
{
	if (in_forked_child()) {
		char *used = mem_alloc(1);
		_exit(mlock(used, 2 * PAGE) != 0 || !is_zeroed_when_allocated_again());
	}
}

TEST_IF(has_no_checker, there_are_pieces_where_no_chunk_finds_room)
{
	if (in_forked_child()) {
		child_leave_space(PIECE);
		char *half = mem_alloc(PIECE / 2), *whole = mem_alloc(PIECE);
		_exit(half == NULL || whole != NULL || errno != ENOMEM);
	}
}

/* ---- random operations against a naive model ---- */

struct piece {
	unsigned char *bytes; /* NULL: none */
	size_t size;
	unsigned char mark; /* at its ends */
};

static size_t random_size(struct random *random)
{
	uint32_t limit = random_below(random, 4) == 0 ? PIECE + 2 * PAGE : 4 * PAGE;
	return random_below(random, limit);
}

static void add_piece(struct piece *piece, struct random *random)
{
	piece->size = random_size(random);
	piece->mark = (unsigned char)(1 + random_below(random, 255));
	piece->bytes = mem_alloc(piece->size);
	assert_non_null(piece->bytes);
	assert_true(is_zeroed((char *)piece->bytes, piece->size));
	if (piece->size != 0)
		piece->bytes[0] = piece->bytes[piece->size - 1] = piece->mark;
}

static void end_piece(struct piece *piece)
{
	if (piece->size != 0) {
		assert_int_equal(piece->bytes[0], piece->mark);
		assert_int_equal(piece->bytes[piece->size - 1], piece->mark);
	}
	mem_free(piece->bytes, piece->size);
	piece->bytes = NULL;
}

TEST(pieces_of_random_sizes_do_not_overlap_and_are_zeroed)
{
	enum { PIECES = 200, STEPS = 5000 };
	struct piece pieces[PIECES] = {0};
	struct random random = {.state = 41};
	for (size_t step = 0; step < STEPS; step++) {
		struct piece *piece = &pieces[random_below(&random, PIECES)];
		if (piece->bytes == NULL)
			add_piece(piece, &random);
		else
			end_piece(piece);
	}
	for (size_t i = 0; i < PIECES; i++)
		if (pieces[i].bytes != NULL)
			end_piece(&pieces[i]);
	assert_int_equal(mem_live_bytes(), 0);
}
