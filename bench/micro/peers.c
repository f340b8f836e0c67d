/* SPDX-License-Identifier: MIT
 *
 * Tracebacks by others, and what they cost when the stack is deep. All take turns, at the bottom of as many calls as
 * there are frames on the shadow stack:
 *   push and pop, capture       what a program pays for its shadow stack, and for a traceback of it
 *   clone                       all frames of a traceback, taken from the free list and given back
 *   clone, malloc'ed frames     the same with a call of malloc() and free() for each frame
 *   copy                        plain data, of at most 64 frames
 *   frame pointers              a walk along the chain, which needs no pushes
 *   glibc backtrace(), libunwind    unwinding by tables; libunwind only if it was there when this was built
 * usage: peers [--table] [DEPTH...]    --table: "NAME<tab>DEPTH<tab>NANOSECONDS" */
#include <dlfcn.h>
#include <string.h>

#include <stmlog/traceback.h>

#include "bench.h"
#include "frame_pointers.h"
#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

enum { DEPTH_MAX = 2000, ROUNDS = 41, SIDES_MAX = 8 };

/* A slice is shorter than in other benchmarks: there are many sides. */
#define PEER_SLICE_NS 300000.0

struct place {
	struct tb_stack *stack;
	int depth;
	bool is_table;
};

/* ---- the sides ---- */

static void push_pop(uint64_t times, void *arg)
{
	struct tb_stack *stack = ((struct place *)arg)->stack;
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stack, TB_HERE());
		bench_barrier();
		tb_pop(stack);
		bench_barrier();
	}
}

static void capture(uint64_t times, void *arg)
{
	struct tb_stack *stack = ((struct place *)arg)->stack;
	for (uint64_t i = 0; i < times; i++) {
		tb_unref(stack, bench_opaque(tb_capture(stack)));
		bench_barrier();
	}
}

static void clone_frames(uint64_t times, void *arg)
{
	struct tb_stack *stack = ((struct place *)arg)->stack;
	for (uint64_t i = 0; i < times; i++)
		tb_unref(stack, bench_opaque(tb_clone(stack, tb_current(stack), SIZE_MAX)));
}

struct malloced {
	struct malloced *down;
	struct tb_site site;
	uint32_t refs;
};

static struct malloced *clone_by_malloc(const struct tb_frame *from)
{
	struct malloced *first = NULL, **last = &first;
	for (; tb_is_frame(from); from = tb_down(from), last = &(*last)->down) {
		*last = malloc(sizeof **last);
		if (*last == NULL)
			abort();
		**last = (struct malloced){NULL, tb_frame_site(from), 1};
	}
	return first;
}

static void malloc_frames(uint64_t times, void *arg)
{
	struct tb_stack *stack = ((struct place *)arg)->stack;
	for (uint64_t i = 0; i < times; i++) {
		struct malloced *frame = bench_opaque(clone_by_malloc(tb_current(stack)));
		while (frame != NULL) {
			struct malloced *down = frame->down;
			free(frame);
			frame = down;
		}
	}
}

static void copy(uint64_t times, void *arg)
{
	struct tb_stack *stack = ((struct place *)arg)->stack;
	struct tb_copy copy;
	for (uint64_t i = 0; i < times; i++) {
		tb_copy_take(&copy, tb_current(stack));
		bench_opaque(&copy);
	}
}

WITH_FRAME_POINTER static void frame_pointers(uint64_t times, void *arg)
{
	const void *addresses[DEPTH_MAX];
	int depth = ((struct place *)arg)->depth;
	for (uint64_t i = 0; i < times; i++) {
		if (frame_pointers_walk(__builtin_frame_address(0), addresses, depth) != depth)
			abort();
		bench_opaque(addresses);
	}
}

/* libunwind has a function of this name, too. */
static int (*glibc_backtrace)(void **addresses, int max);

static bool find_glibc(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (libc != NULL)
		*(void **)&glibc_backtrace = dlsym(libc, "backtrace");
	return glibc_backtrace != NULL;
}

/* Both find the calls of this benchmark first, instead of as many at the outer end. */
static void glibc(uint64_t times, void *arg)
{
	void *addresses[DEPTH_MAX];
	int depth = ((struct place *)arg)->depth;
	for (uint64_t i = 0; i < times; i++) {
		if (glibc_backtrace(addresses, depth) != depth)
			abort();
		bench_opaque(addresses);
	}
}

#ifdef HAVE_LIBUNWIND
static void libunwind(uint64_t times, void *arg)
{
	void *addresses[DEPTH_MAX];
	int depth = ((struct place *)arg)->depth;
	for (uint64_t i = 0; i < times; i++) {
		if (unw_backtrace(addresses, depth) != depth)
			abort();
		bench_opaque(addresses);
	}
}
#endif

/* ---- taking turns ---- */

static const struct bench_side sides[] = {
	{"frame pointers", frame_pointers, NULL},
	{"push and pop", push_pop, NULL},
	{"capture", capture, NULL},
	{"clone", clone_frames, NULL},
	{"clone, malloc'ed frames", malloc_frames, NULL},
	{"copy", copy, NULL},
	{"glibc backtrace()", glibc, NULL},
#ifdef HAVE_LIBUNWIND
	{"libunwind", libunwind, NULL},
#endif
};
enum { SIDES = sizeof sides / sizeof sides[0] };
_Static_assert((int)SIDES <= (int)SIDES_MAX, "room for all sides");

/* The first side is what the others are compared with. */
static void print(const struct place *place, double figures[SIDES_MAX][ROUNDS], double ratios[SIDES_MAX][ROUNDS])
{
	for (size_t i = 0; i < SIDES; i++) {
		double ns = bench_median(figures[i], ROUNDS), ratio = bench_median(ratios[i], ROUNDS);
		if (place->is_table)
			printf("%s\t%d\t%.2f\n", sides[i].name, place->depth, ns);
		else
			printf("%4d deep  %-24s %9.2f ns  %8.2f times a walk along frame pointers\n", place->depth,
				sides[i].name, ns, ratio);
	}
}

static uint64_t times_of(const struct bench_side *side)
{
	uint64_t times = 1;
	while (bench_time_ns(side, times) < PEER_SLICE_NS)
		times *= 2;
	return times;
}

static void take_turns(struct place *place)
{
	static double figures[SIDES_MAX][ROUNDS], ratios[SIDES_MAX][ROUNDS];
	uint64_t times[SIDES_MAX];
	struct bench_side at[SIDES_MAX];
	for (size_t i = 0; i < SIDES; i++) {
		at[i] = (struct bench_side){sides[i].name, sides[i].run, place};
		times[i] = times_of(&at[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < SIDES; i++) {
			figures[i][round] = bench_time_ns(&at[i], times[i]) / (double)times[i];
			ratios[i][round] = figures[i][round] / figures[0][round];
		}
	}
	print(place, figures, ratios);
}

/* Goes `depth` calls deep first; the empty statement keeps each call from becoming a jump. */
WITH_FRAME_POINTER static void descend(struct place *place, int depth)
{
	if (depth > 1)
		descend(place, depth - 1);
	else
		take_turns(place);
	bench_barrier();
}

static int run(int depth, bool is_table)
{
	struct place place = {tb_stack_create(0), depth, is_table};
	if (place.stack == NULL || depth < 1 || depth > DEPTH_MAX)
		return 1;
	for (int i = 0; i < depth; i++)
		tb_push(place.stack, TB_HERE());
	descend(&place, depth);
	tb_stack_destroy(&place.stack);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_table = argc > 1 && strcmp(argv[1], "--table") == 0;
	int status = 0;
	if (!find_glibc())
		return 1;
	if (argc == 1)
		return run(10, false) || run(50, false);
	for (int i = 1 + is_table; i < argc && status == 0; i++)
		status = run(atoi(argv[i]), is_table);
	return status;
}
