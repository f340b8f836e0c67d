/* SPDX-License-Identifier: MIT
 *
 * Losses between places with all kinds of names: quotes, newlines, other control bytes, escapes and character names of
 * some formats, characters that change the direction of text, markup, and bytes that are no UTF-8. Each place loses to
 * the next one, the i-th i milliseconds, by a clock of this program. The names of the runtime, the thread, causes,
 * objects and events are of the same kinds. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "losses.h"

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
	{"\xc2\x9b"
	 "31m\xc2\x85\x7f\xc2\x9d",
		"\xe2\x80\xae"
		"c.tac\xe2\x81\xa6.c",
		10},
	{"\xe2\x80\xa8line\xe2\x80\xa9paragraph", "\xd8\x9c\xef\xbb\xbf.c", 11},
	{"]]></text></svg></script><img src=x onerror=alert(1)><script>alert(2)</script><!--", "';--.c", 12},
	{"r\xc3\xa9sum\xc3\xa9", "\xe2\x82\xac.c", 9},
};
enum { PLACES = sizeof places / sizeof places[0] };

/* Of everything else that has a name. */
static const char everything[] = "\x1b]0;\x07\xc2\x9b\"\\\n\xe2\x80\xae\xe2\x80\xa8<i>&;{}\xff";

static uint64_t now_ns = 1000;

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose(struct stmlog_thread *thread, size_t i)
{
	stmlog_start(thread);
	uint64_t culprit = stmlog_origin(thread, tb_place_site(&places[(i + 1) % PLACES]));
	stmlog_push(thread, tb_place_site(&places[i]));
	now_ns += (i + 1) * 1000000;
	abort_over_write(thread, OBJECT, culprit, NULL);
	stmlog_pop(thread);
	stmlog_start(thread);
	stmlog_commit(thread);
}

static void ask_and_tell(struct stmlog_thread *thread)
{
	stmlog_region_begin(thread, everything, 0);
	stmlog_mark(thread, everything, 1);
	stmlog_counter(thread, everything, 2);
	stmlog_start(thread);
	now_ns += 100;
	abort_asked(thread, everything);
	stmlog_start(thread);
	stmlog_commit(thread);
	stmlog_region_end(thread, 3);
}

/* A transaction waits for an object at another place than where it begins, and a third place wakes it. */
static void be_woken(struct stmlog_thread *thread)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_VAIN");
	stmlog_push(thread, tb_place_site(&places[9]));
	stmlog_start(thread);
	loss.object = OBJECT;
	loss.other = stmlog_origin(thread, tb_place_site(&places[5]));
	stmlog_push(thread, tb_place_site(&places[10]));
	now_ns += 100;
	stmlog_abort(thread, &loss);
	stmlog_pop(thread);
	wait_blocked(thread);
	now_ns += 100;
	stmlog_wait_end(thread);
	stmlog_start(thread);
	stmlog_commit(thread);
	stmlog_pop(thread);
}

/* Each of ten commits wakes two. */
static void wake_two_each(struct stmlog_thread *thread)
{
	struct tb_site waker = tb_place_site(&places[5]);
	for (int i = 0; i < 10; i++) {
		stmlog_push(thread, waker);
		stmlog_start(thread);
		stmlog_commit(thread);
		stmlog_pop(thread);
		for (int k = 0; k < 2; k++) {
			be_woken(thread);
			stmlog_was_woken(thread, tb_place_site(&places[9]), waker);
		}
	}
}

static bool name_object(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)arg;
	(void)object;
	if (size < sizeof everything)
		return false;
	memcpy(name, everything, sizeof everything);
	return true;
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = everything, .name_object = name_object};
	stmlog_set_clock(read_clock);
	pthread_setname_np(pthread_self(), "\x1b[1m\xc2\x9b\xe2\x80\xae");
	if (stmlog_open(&setup) != 0)
		return 1;
	stmlog_set_word("method", everything);
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	for (size_t i = 0; i < PLACES; i++)
		lose(thread, i);
	ask_and_tell(thread);
	wake_two_each(thread);
	return 0;
}
