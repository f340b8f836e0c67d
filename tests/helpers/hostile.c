/* SPDX-License-Identifier: MIT
 *
 * Losses between places with all kinds of names: quotes, newlines, other control bytes, escapes and character names of
 * some formats, and bytes that are no UTF-8. Each place loses to the next one, the i-th i milliseconds, by a clock of
 * this program. */
#include <stmlog/runtime.h>

#include <stdint.h>

#define OBJECT ((uintptr_t)64)

static const struct tb_place places[] = {
	{"a\"b\"", "q.c", 1},
	{"line\nbreak\r\n", "n\n.c", 2},
	{"back\\slash\\", "b\\.c", 3},
	{"\x01\x1b[31m\x7f", "\t.c", 4},
	{"\xff\xfe\xc3(", "\xe2\x82.c", 5},
	{"operator<&amp;> {a=\"b\",c} 1", "<b>&.c", 6},
	{"\\N \\G %s %n #", "$.c", 7},
	{"", "", 0},
	{"r\xc3\xa9sum\xc3\xa9", "\xe2\x82\xac.c", 9},
};
enum { PLACES = sizeof places / sizeof places[0] };

static uint64_t now_ns = 1000;

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose(struct stmlog_thread *thread, size_t i)
{
	stmlog_start(thread);
	tb_push(stmlog_thread_stack(thread), tb_place_site(&places[(i + 1) % PLACES]));
	stmlog_wrote(thread, OBJECT);
	tb_pop(stmlog_thread_stack(thread));
	struct stmlog_other culprit = stmlog_other_make(thread, stmlog_attempt(thread));
	tb_push(stmlog_thread_stack(thread), tb_place_site(&places[i]));
	now_ns += (i + 1) * 1000000;
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, culprit, NULL);
	stmlog_abort_self(thread);
	tb_pop(stmlog_thread_stack(thread));
	stmlog_start(thread);
	stmlog_commit(thread);
}

int main(void)
{
	stmlog_set_clock(read_clock);
	if (stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_attach();
	for (size_t i = 0; i < PLACES; i++)
		lose(thread, i);
	return 0;
}
