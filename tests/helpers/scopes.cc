/* SPDX-License-Identifier: MIT
 * Exceptions leave scopes of stmlog.hpp while everything is under way that has a scope. Afterwards nothing is: the
 * shadow stack is empty, and nobody has made a mistake. One argument: a profiler is open. Two: it has a timeline as
 * well, which the program takes and checks. Status 0, or the number of the first check that fails. */
#ifdef VENDORED
#include "stmlog-vendor.h"
#endif
#include <stmlog/stmlog.hpp>

#include <string.h>
#include <thread>
#include <type_traits>
#include <utility>

static_assert(
	!std::is_copy_constructible<stmlog::entered>::value && !std::is_move_constructible<stmlog::entered>::value, "");
static_assert(!std::is_copy_constructible<stmlog::attachment>::value, "");
static_assert(!std::is_copy_constructible<stmlog::lane>::value, "");
static_assert(std::is_nothrow_move_constructible<stmlog::lane>::value, "");
static_assert(std::is_nothrow_move_assignable<stmlog::lane>::value, "");

static void fail_in(struct stmlog_thread *thread, int depth)
{
	stmlog::entered here(thread, TB_HERE());
	stmlog::region region(thread, "deep", 1);
	region.add(2);
	if (depth > 0)
		return fail_in(thread, depth - 1);
	stmlog_start(thread);
	stmlog::wait pause(thread, stmlog_loss_of(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "PAUSED"));
	here.update(TB_HERE());
	throw depth;
}

static void work_inside(struct stmlog_thread *thread)
{
	stmlog::other_work work(thread, "back-off");
	throw 1;
}

static bool throws(struct stmlog_thread *thread)
{
	try {
		fail_in(thread, 3);
	} catch (int) {
		const stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, "THROWN");
		stmlog_abort(thread, &loss);
		try {
			work_inside(thread);
		} catch (int) {
		}
		try {
			stmlog::blocked blocked(thread);
			throw 1;
		} catch (int) {
		}
		stmlog_retry(thread);
		stmlog_commit(thread);
		return true;
	}
	return false;
}

static void wait_for_segment(struct stmlog_thread *thread)
{
	stmlog::entered here(thread, TB_HERE());
	stmlog::wait wait(thread, stmlog_loss_of(STMLOG_WAIT, STMLOG_NONE, nullptr));
	throw 1;
}

/* A transaction begins on one OS thread and ends on another. */
static stmlog::lane moved(stmlog::lane lane)
{
	{
		stmlog::claim now(lane);
		stmlog_start(lane);
	}
	std::thread([&lane] {
		stmlog::claim now(lane);
		stmlog_commit(lane);
	}).join();
	return lane;
}

/* Its place names the function around it: that of each lambda is called "operator()". */
template <class Number> static bool names_lambdas(Number number)
{
	auto here = [number] { return number > 0 ? TB_HERE() : TB_NO_SITE; };
	tb_site inside = here(), outside = TB_HERE();
	return strstr(reinterpret_cast<const tb_place *>(inside.position)->function, "names_lambdas") != nullptr &&
	       strcmp(reinterpret_cast<const tb_place *>(outside.position)->function, "names_lambdas") == 0;
}

static int attached_twice()
{
	stmlog::attachment outer;
	struct stmlog_thread *before = outer;
	{
		stmlog::attachment inner;
		if (static_cast<struct stmlog_thread *>(inner) != before)
			return 1;
	}
	return stmlog_thread_self() != before ? 2 : 0;
}

#ifdef STMLOG_OFF
static bool is_timeline_right()
{
	return true;
}
static bool is_stack_empty(struct stmlog_thread *)
{
	return true;
}
#else
static bool is_stack_empty(struct stmlog_thread *thread)
{
	return thread == nullptr || tb_current(stmlog_thread_stack(thread)) == TB_EMPTY;
}

/* Each region that began has ended, with the work that was added. */
static bool is_timeline_right()
{
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	struct stmlog_timeline_fault fault;
	uint64_t begun = 0, ended = 0;
	bool is_right = stmlog_timeline_check(timeline, &fault);
	for (size_t i = 0; i < timeline->len; i++) {
		const struct stmlog_event *event = &timeline->events[i];
		begun += event->kind == STMLOG_EVENT_REGION_BEGIN ? event->argument : 0;
		ended += event->kind == STMLOG_EVENT_REGION_END ? event->argument : 0;
	}
	stmlog_timeline_destroy(&timeline);
	return is_right && begun == 8 && ended == 2 * begun;
}
#endif

int main(int argc, char **)
{
	const stmlog_setup setup = stmlog_setup_of("scopes");
	if (stmlog_open(&setup) != 0)
		return 1;
	if (attached_twice() != 0 || stmlog_thread_self() != nullptr)
		return 2;
	stmlog::attachment thread;
	if ((stmlog_thread_self() != nullptr) != (argc > 1))
		return 3;
	if (!throws(thread) || !throws(thread))
		return 4;
	try {
		wait_for_segment(thread);
	} catch (int) {
	}
	if (!is_stack_empty(thread))
		return 5;
	if (static_cast<struct stmlog_thread *>(stmlog::lane(nullptr)) != nullptr)
		return 6;
	stmlog::lane lane("fiber"), other;
	other = moved(std::move(lane));
	if (static_cast<struct stmlog_thread *>(lane) != nullptr ||
		(static_cast<struct stmlog_thread *>(other) != nullptr) != (argc > 1))
		return 7;
	if (argc > 2 && !is_timeline_right())
		return 8;
	if (!names_lambdas(1))
		return 9;
	return 0;
}
