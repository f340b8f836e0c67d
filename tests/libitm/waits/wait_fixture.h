/* SPDX-License-Identifier: MIT
 * An agent's thread that waits inside libitm, by the fake clock, without libitm and without a stack to unwind. */
#ifndef WAIT_FIXTURE_H
#define WAIT_FIXTURE_H

#include "agent.h"
#include "session_fixture.h"
#include "stacks.h"
#include "test.h"
#include "wait.h"

static unsigned serial, armed;
static uintptr_t *traced;
static uintptr_t traced_site;

/* The agent's own would unwind the stack. */
static struct tb_frame *trace_from(uintptr_t *slot)
{
	traced = slot;
	return tb_current(stmlog_thread_stack(itm_self.thread));
}

struct tb_frame *itm_trace_entry(void)
{
	return trace_from(itm_self.slot);
}

struct tb_frame *itm_trace_begin(void)
{
	return trace_from(itm_self.site_slot);
}

struct tb_frame *itm_trace_unmeasured(uintptr_t site)
{
	traced_site = site;
	return itm_trace_entry();
}

/* The commit action that libitm was given last. */
static void (*commit_action)(void *);

static void count_armed(void (*action)(void *), uint64_t transaction, void *arg)
{
	assert_int_equal(transaction, ITM_NO_TRANSACTION);
	assert_null(arg);
	commit_action = action;
	armed++;
}
int (*itm_real_in_transaction)(void);
void (*itm_real_add_commit)(void (*)(void *), uint64_t, void *) = count_armed;

/* Sets libitm's pointer to its struct of this thread; 0: it has made none yet. */
static void set_transaction(uintptr_t transaction)
{
	__asm__ volatile("movq %0, %%fs:0x50" : : "r"(transaction) : "memory");
}

static void set_up(void)
{
	session_set_up();
	serial = armed = 0;
	traced = NULL;
	itm_agent.method = ITM_METHOD_LOCKS;
	itm_locks.serial = &serial;
	itm_self = (struct itm_thread){
		.thread = stmlog_thread_self(), .flags = ITM_MEASURED, .critical = &itm_never_interrupted};
	set_transaction(0x1000);
	itm_agent.has_steady_tsc = true;
	itm_ticks_prepare();
}

static void tear_down(void)
{
	set_transaction(0);
	itm_remote_destroy(&itm_self, stmlog_thread_stack(itm_self.thread));
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* The transaction began that long ago. */
static inline void start(uint64_t ns)
{
	itm_self.started_ns = stmlog_now_ns();
	stmlog_start(itm_self.thread);
	fake_clock_advance(ns);
}

#endif
