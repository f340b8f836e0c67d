/* SPDX-License-Identifier: MIT
 * The agent's state: for the process, whose options are read and checked; for the calling thread, whose members lie
 * where assembly looks for them; and for commit.c, by which dispatch objects it recognises plain transactions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "libitm_layout.h"
#include "environment.h"
#include "plain.h"
#include "requires.h"
#include "ring.h"
#include "thread.h"

/* ---- the process ---- */

struct itm_agent itm_agent;

static const volatile unsigned never_held; /* in place of libitm's word, while that is not known or not wanted */
const volatile unsigned *itm_serial_word = &never_held;

static bool counters_option(void)
{
	const char *text = stmlog_option("counters");
	if (text == NULL || strcmp(text, "on") == 0)
		return true;
	if (strcmp(text, "off") == 0)
		return false;
	native_warn_of_option("counters", text, "on or off");
	return true;
}

/* The library has this option, too, and has warned already if the value is wrong. */
static uint32_t depth_option(void)
{
	const char *text = stmlog_option("depth");
	uint32_t value = text != NULL ? native_number(text, 4096) : 0;
	return value != 0 ? value : 32;
}

/* With counters=off the layout is treated as unknown. So is it in a set-user-ID process, which must not trust the
 * environment. */
static struct itm_layout layout_option(const struct native_module *libitm)
{
	bool is_wanted = counters_option();
	return itm_layout_read(is_wanted ? secure_getenv(ITM_LAYOUT_VARIABLE) : NULL, libitm);
}

struct itm_options itm_options_read(const struct native_module *libitm)
{
	return (struct itm_options){
		.sample = native_sample(),
		.depth = depth_option(),
		.layout = layout_option(libitm),
	};
}

/* ---- the calling thread ---- */

_Static_assert(offsetof(struct itm_read, site) == 8 && sizeof(struct itm_read) == 16, "barriers.S");
struct itm_read itm_reads_dummy;
volatile uint64_t itm_never_interrupted = 1;

__thread struct itm_thread itm_self __attribute__((tls_model("initial-exec"))) = {
	.ring = &itm_ring_dummy,
	.reads_at = &itm_reads_dummy,
	.reads_limit = &itm_reads_dummy + 1,
	.reads_end = &itm_reads_dummy + 1,
	.critical = &itm_never_interrupted,
};

#define STANDS_AT(member, offset) _Static_assert(offsetof(struct itm_thread, member) == (offset), "asm_shared.h")
STANDS_AT(depth, ITM_DEPTH);
STANDS_AT(flags, ITM_FLAGS);
STANDS_AT(countdown, ITM_COUNTDOWN);
STANDS_AT(kind, ITM_KIND);
STANDS_AT(slot, ITM_SLOT);
STANDS_AT(hook_return, ITM_RETURN);
STANDS_AT(address, ITM_ADDRESS);
STANDS_AT(source, ITM_SOURCE);
STANDS_AT(user_r15, ITM_USER_R15);
STANDS_AT(size, ITM_KIND + 2);
STANDS_AT(ring, ITM_RING);
STANDS_AT(reads_at, ITM_READS_AT);
STANDS_AT(reads_limit, ITM_READS_LIMIT);
STANDS_AT(length, ITM_LENGTH);
STANDS_AT(context, ITM_CONTEXT);
STANDS_AT(is_exact, ITM_EXACT);
STANDS_AT(lock_word, ITM_LOCK_WORD);
STANDS_AT(word_table, ITM_WORD_TABLE);
STANDS_AT(critical, ITM_CRITICAL);
STANDS_AT(reads_end, ITM_READS_END);
STANDS_AT(watch.began, ITM_BEGAN);
STANDS_AT(watch.returned, ITM_RETURNED);
STANDS_AT(watch.restarted, ITM_RESTARTED);
STANDS_AT(watch.is_next, ITM_TIME_NEXT);
STANDS_AT(watch.countdown, ITM_COUNTDOWN_NEXT);
STANDS_AT(watch.site, ITM_WATCH_SITE);
STANDS_AT(watch.weight, ITM_WEIGHT);
STANDS_AT(watch.weight_next, ITM_WEIGHT_NEXT);
STANDS_AT(watch.failed, ITM_FAILED);
STANDS_AT(watch.late_from, ITM_LATE_FROM);
STANDS_AT(watch.half_from, ITM_HALF_FROM);
STANDS_AT(watch.look_from, ITM_LOOK_FROM);
STANDS_AT(watch.before, ITM_BEFORE);
_Static_assert(ITM_SIZE_SHIFT == 16, "asm_shared.h");

/* ---- plain transactions ---- */

/* In a cache line of its own: every commit loads it. */
struct itm_plain itm_plain __attribute__((aligned(64)));

/* Constant after itm_plain_prepare(). */
static AO_t plain, none;

void itm_plain_prepare(void)
{
	const void *odd = (const void *)1; /* dispatch objects have even addresses */
	none = itm_scramble(odd);
	plain = itm_locks.dispatch != NULL ? itm_scramble(itm_locks.dispatch) : none;
	AO_store(&itm_plain.solo, none);
	itm_plain_resume();
}

void itm_plain_pause(void)
{
	AO_store(&itm_plain.dispatch, none);
}

void itm_plain_resume(void)
{
	AO_store(&itm_plain.dispatch, plain);
}

/* The fence is the partner of that in itm_plain_joined(): of this thread's store and look, and the other's ring and
 * store, one comes first. So the word does not stay once there are two rings. */
void itm_plain_solo(void)
{
	REQUIRES(none != 0);
	if (plain == none || itm_rings_are_several())
		return;
	AO_store(&itm_plain.solo, itm_dispatch_scrambled());
	AO_nop_full();
	if (itm_rings_are_several())
		AO_store(&itm_plain.solo, none);
}

void itm_plain_joined(void)
{
	AO_nop_full();
	if (itm_rings_are_several())
		AO_store(&itm_plain.solo, none);
}
