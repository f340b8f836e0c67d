/* SPDX-License-Identifier: MIT
 * Titles, which viewers show when the pointer rests on an element: what has happened, when, for how long, because of
 * which thread, and where. */
#include <inttypes.h>
#include <stdlib.h>

#include "cause.h"
#include "event.h"
#include "export_svg.h"
#include "memory.h"
#include "number.h"

enum { MAX_FRAMES = 10 };

/* ---- parts of a title; each but the first begins a new line ---- */

static void end_line(const struct svg *svg)
{
	fputc('\n', svg->out);
}

static void say_time(const struct svg *svg, const char *before, uint64_t time_ns)
{
	uint64_t ns = time_ns > svg->origin_ns ? time_ns - svg->origin_ns : 0;
	svg_say(svg, "%s%s s", before, number_decimal(ns, NUMBER_S, 9).text);
}

static void say_span(const struct svg *svg, uint64_t from_ns, uint64_t until_ns)
{
	end_line(svg);
	svg_say(svg, "%s", number_time(until_ns - from_ns).text);
	say_time(svg, " from ", from_ns);
}

static void say_cause(const struct svg *svg, const struct stmlog_event_record *event)
{
	struct stmlog_place_record place = event_place(svg->export->recording, event);
	svg_say(svg, "%s, %s", cause_reason_name(event->reason), cause_contention_name(event->contention));
	if (place.word != 0)
		svg_say(svg, " (%s)", recording_string(svg->export->recording, place.word));
}

static void say_other(const struct svg *svg, const struct stmlog_event_record *event)
{
	if (event_other(event) != 0) {
		char *name = svg_thread_name(svg, event_other(event));
		end_line(svg);
		svg_say(svg, "because of %s", name);
		free(name);
		if (event->kind == STMLOG_EVENT_ABORT)
			svg_say(svg, ", %s", cause_grade_name(event->detail));
	}
	if (event_has_unknown_other(event)) {
		end_line(svg);
		svg_say(svg, "because of an unknown transaction");
	}
	if (event_has_cause(event) && event->argument != 0) {
		char *name = report_object_name(&svg->report, event->argument);
		end_line(svg);
		svg_say(svg, "object %s", name);
		free(name);
	}
}

/* Writes at most `room` frames. Returns the room that is left. */
static size_t say_site(const struct svg *svg, const struct symbol_site *site, size_t room)
{
	for (size_t i = 0; i < site->len && room > 0; i++, room--) {
		char *frame = report_frame(&svg->report, &site->frames[i]);
		end_line(svg);
		svg_say(svg, "  %s", frame);
		free(frame);
	}
	return room;
}

static void say_where(const struct svg *svg, const struct stmlog_event_record *event, const char *what)
{
	const struct recording *recording = svg->export->recording;
	struct recording_traceback traceback = recording_traceback(recording, event_place(recording, event).traceback);
	size_t room = MAX_FRAMES;
	if (traceback.len == 0)
		return;
	end_line(svg);
	svg_say(svg, "%s", what);
	for (size_t i = 0; i < traceback.len && room > 0; i++)
		room = say_site(svg, symbols_site(svg->export->symbols, traceback.sites[i]), room);
	if (room == 0 || traceback.is_cut) {
		end_line(svg);
		svg_say(svg, "  ...");
	}
}

/* ---- single bars ---- */

static void say_attempt(const struct svg *svg, const struct svg_bar *seen)
{
	const struct bar *bar = &seen->bar;
	const struct stmlog_event_record *abort = seen->fate == SVG_ABORT ? svg_event(svg, bar->closed_by) : NULL;
	if (seen->fate == SVG_COMMIT)
		svg_say(svg, "attempt, committed");
	else if (seen->fate == SVG_OPEN)
		svg_say(svg,
			bar->closed_by != BAR_NONE ? "attempt; its end is missing" : "attempt, still open at the end");
	if (abort != NULL) {
		svg_say(svg, "attempt, aborted: ");
		say_cause(svg, abort);
	}
	say_span(svg, bar->from_ns, bar->until_ns);
	if (abort != NULL) {
		say_other(svg, abort);
		say_where(svg, abort, "aborted at");
	}
	say_where(svg, svg_event(svg, bar->index), "begun at");
}

static void say_wait(const struct svg *svg, const struct svg_bar *seen)
{
	const struct stmlog_event_record *event = svg_event(svg, seen->bar.index);
	svg_say(svg, "waits, %s: ", event_detail_name(event));
	say_cause(svg, event);
	say_span(svg, seen->bar.from_ns, seen->bar.until_ns);
	say_other(svg, event);
	say_where(svg, event, "at");
}

static void say_gap(const struct svg *svg, const struct svg_bar *seen)
{
	svg_say(svg, "%s event%s missing", number_count(seen->lost).text, seen->lost == 1 ? " is" : "s are");
	end_line(svg);
	say_time(svg, "between ", seen->bar.from_ns);
	say_time(svg, " and ", seen->bar.until_ns);
}

/* Writes a line with what the event says besides its task, if it says anything. */
static void say_task_text(const struct svg *svg, const struct stmlog_event_record *event)
{
	char *text = event_task_text(svg->export->recording, event);
	if (text == NULL)
		return;
	end_line(svg);
	svg_say(svg, "%s", text);
	free(text);
}

/* The event that closes a bar about a task; NULL: it is not on record. */
static const struct stmlog_event_record *end_of(const struct svg *svg, const struct bar *bar)
{
	const struct stmlog_event_record *end = bar->closed_by != BAR_NONE ? svg_event(svg, bar->closed_by) : NULL;
	return end != NULL && event_has_task(end) ? end : NULL;
}

static void say_ends(const struct svg *svg, const struct svg_bar *seen)
{
	const struct bar *bar = &seen->bar;
	const struct stmlog_event_record *event = svg_event(svg, bar->index), *end = end_of(svg, bar);
	say_task_text(svg, event);
	if (end != NULL)
		say_task_text(svg, end);
	say_span(svg, bar->from_ns, bar->until_ns);
	say_where(svg, event, "at");
}

static void say_work(const struct svg *svg, const struct svg_bar *seen)
{
	const struct bar *bar = &seen->bar;
	const struct stmlog_event_record *event = svg_event(svg, bar->index);
	unsigned end = bar->closed_by != BAR_NONE ? svg_event(svg, bar->closed_by)->kind : STMLOG_EVENT_MISSING;
	bool is_done = end == STMLOG_EVENT_TASK_END, is_suspended = end == STMLOG_EVENT_TASK_SUSPEND;
	svg_say(svg, "task %" PRIu64 ", %s and %s", event->argument,
		event->kind == STMLOG_EVENT_TASK_START ? "started" : "resumed",
		is_done        ? "done"
		: is_suspended ? "suspended"
			       : "not known to end");
}

static void say_task(const struct svg *svg, const struct svg_bar *seen)
{
	const struct stmlog_event_record *event = svg_event(svg, seen->bar.index);
	if (event->kind == STMLOG_EVENT_HANDLE_BEGIN)
		svg_say(svg, "handles an operation of task %" PRIu64, event->argument);
	else
		say_work(svg, seen);
	say_ends(svg, seen);
}

static void say_touch(const struct svg *svg, const struct svg_bar *seen)
{
	const struct stmlog_event_record *event = svg_event(svg, seen->bar.index);
	bool is_block = event->kind == STMLOG_EVENT_BLOCK_BEGIN;
	svg_say(svg, is_block ? "task %" PRIu64 " is blocked" : "waits for task %" PRIu64, event->argument);
	say_ends(svg, seen);
}

static void say_speed(const struct svg *svg, const struct svg_bar *seen)
{
	const struct region *region = svg_region(svg, seen->bar.index);
	if (region == NULL)
		return;
	fputc('\n', svg->out);
	svg_say(svg, "work %s in %s of its tasks", number_count(region->work).text, number_time(region->time_ns).text);
	fputc('\n', svg->out);
	svg_say(svg, "speed %.1f %% of the fastest one of its tag", 100 * region->relative);
}

static void say_region(const struct svg *svg, const struct svg_bar *seen)
{
	const struct recording *recording = svg->export->recording;
	const struct stmlog_event_record *event = svg_event(svg, seen->bar.index);
	svg_say(svg, "region %s", recording_string(recording, event_place(recording, event).word));
	say_span(svg, seen->bar.from_ns, seen->bar.until_ns);
	say_speed(svg, seen);
	say_where(svg, event, "at");
}

/* ---- several bars drawn as one ---- */

static void say_group(const struct svg *svg, const struct svg_group *group)
{
	svg_say(svg, "%s bars on one pixel", number_count(group->total).text);
	for (unsigned fate = 0; fate < SVG_FATES; fate++) {
		if (group->count[fate] == 0)
			continue;
		end_line(svg);
		svg_say(svg, "%s %s: %s", number_count(group->count[fate]).text, svg_looks[fate].name,
			number_time(group->time_ns[fate]).text);
	}
	if (group->lost > 0) {
		end_line(svg);
		svg_say(svg, "events missing: %s", number_count(group->lost).text);
	}
	say_span(svg, group->from_ns, group->until_ns);
}

void svg_bar_title(const struct svg *svg, const struct svg_group *group)
{
	static void (*const say[SVG_FATES])(const struct svg *svg, const struct svg_bar *seen) = {
		[SVG_COMMIT] = say_attempt,
		[SVG_ABORT] = say_attempt,
		[SVG_OPEN] = say_attempt,
		[SVG_WAIT] = say_wait,
		[SVG_GAP] = say_gap,
		[SVG_TASK] = say_task,
		[SVG_TOUCH] = say_touch,
		[SVG_REGION] = say_region,
	};
	fputs("<title>", svg->out);
	if (group->total > 1)
		say_group(svg, group);
	else
		say[group->first.fate](svg, &group->first);
	fputs("</title>", svg->out);
}

/* ---- points and arrows ---- */

/* Shows the last of several events: of a counter that is the current value. */
void svg_dots_title(const struct svg *svg, const struct svg_dots *dots)
{
	const struct recording *recording = svg->export->recording;
	const struct stmlog_event_record *event = svg_event(svg, dots->last.index);
	struct stmlog_place_record place = event_place(recording, event);
	fputs("<title>", svg->out);
	svg_say(svg, "%s", stmlog_event_name(event->kind));
	if (event_has_cause(event)) {
		svg_say(svg, ": ");
		say_cause(svg, event);
	} else if (place.word != 0) {
		svg_say(svg, " %s", recording_string(recording, place.word));
	}
	if (!event_has_cause(event) && (event->argument != 0 || event->kind == STMLOG_EVENT_COUNTER))
		svg_say(svg, " %" PRIu64, event->argument);
	end_line(svg);
	say_time(svg, "at ", event->time_ns);
	if (dots->total > 1)
		svg_say(svg, ", the last of %s on one pixel", number_count(dots->total).text);
	say_other(svg, event);
	say_where(svg, event, "at");
	fputs("</title>", svg->out);
}

void svg_arrows_title(const struct svg *svg, const struct svg_arrows *arrows)
{
	const struct stmlog_event_record *abort = svg_event(svg, arrows->first.index);
	char *culprit = svg_thread_name(svg, event_other(abort)), *victim = svg_thread_name(svg, abort->thread);
	fputs("<title>", svg->out);
	svg_say(svg, "%s made %s abort", culprit, victim);
	if (arrows->total > 1)
		svg_say(svg, " %s times in %s, first", number_count(arrows->total).text,
			number_time(arrows->last_ns - arrows->first.time_ns).text);
	svg_say(svg, ": ");
	say_cause(svg, abort);
	end_line(svg);
	say_time(svg, "at ", arrows->first.time_ns);
	say_other(svg, abort);
	say_where(svg, abort, "aborted at");
	fputs("</title>", svg->out);
	free(culprit);
	free(victim);
}
