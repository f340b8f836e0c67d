/* SPDX-License-Identifier: MIT
 * The section INFO of a recording: facts about the run, each a key and a value (info.def). */
#include "sections.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "labels.h"
#include "modules.h"
#include "off_processor.h"
#include "out.h"
#include "proc.h"
#include "runtimes.h"
#include "session.h"

static void say(struct buffer *info, const char *key, const char *value)
{
	buffer_append(info, key, strlen(key));
	buffer_append(info, "=", 1);
	buffer_append(info, value, strlen(value) + 1);
}

static void say_number(struct buffer *info, const char *key, uint64_t number)
{
	char text[DECIMAL_SIZE];
	say(info, key, decimal_text(text, number));
}

/* The program's arguments, as the kernel keeps them. */
static void say_command(struct buffer *info)
{
	char bytes[4096];
	ssize_t len;
	say(info, "program", modules_program());
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bool is_in_argument = false;
	while ((len = read(fd, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < len; i++) {
			if (!is_in_argument)
				buffer_append(info, "arg=", 4);
			is_in_argument = bytes[i] != '\0';
			buffer_append(info, &bytes[i], 1);
		}
	}
	if (is_in_argument)
		buffer_append(info, "", 1);
	close(fd);
}

/* Of several processes of a program each counts the others among what it does not know; only a merge of all can tell
 * what other programs had. */
static void say_machine(struct buffer *info)
{
	struct machine_time now = machine_time_now(session.pid), between = machine_time_between(&session.machine, &now);
	if (between.all_ns == 0)
		return;
	say_number(info, "machine_ns", between.all_ns);
	say_number(info, "machine_idle_ns", between.idle_ns);
	say_number(info, "process_ns", between.own_ns);
	if (!AO_load(&session.has_forked) && !session.is_forked)
		say_number(info, "machine_others_ns", machine_time_of_others_ns(&between));
}

static void say_facts(struct buffer *info)
{
	for (size_t i = 0; i < STMLOG_FACTS; i++) {
		const struct fact *fact = &session.facts[i];
		const char *key = (const char *)AO_load_acquire(&fact->key);
		const char *word = (const char *)AO_load_acquire(&fact->word);
		if (word != NULL)
			say(info, key, word);
		else if (key != NULL)
			say_number(info, key, AO_load_acquire(&fact->value));
	}
}

static bool is_said(const char *key)
{
	for (size_t i = 0; i < STMLOG_FACTS; i++) {
		const char *said = (const char *)AO_load_acquire(&session.facts[i].key);
		if (said != NULL && strcmp(said, key) == 0)
			return true;
	}
	return false;
}

/* If a runtime measures time off the processor itself, it has set this fact, and the library does not add it. Of a
 * runtime that samples, only measured transactions are seen: if none of them was off the processor, nothing is known of
 * the others. */
static void say_descheduled(struct buffer *info, const struct stmlog_account *total)
{
	bool is_seen = !session_is_sampled() || total->descheduled_ns != 0;
	if (!is_said("descheduled_known"))
		say_number(info, "descheduled_known", is_seen && off_processor_is_known());
}

static uint64_t missing_events(const struct stmlog_timeline *timeline)
{
	uint64_t missing = 0;
	for (size_t i = 0; timeline != NULL && i < timeline->len; i++)
		if (timeline->events[i].kind == STMLOG_EVENT_MISSING)
			missing += timeline->events[i].argument;
	return missing;
}

void info_fill(struct sections *sections)
{
	struct buffer *info = &sections->info;
	const struct gathered *all = &sections->all;
	say(info, "version", STMLOG_VERSION);
	char names[RUNTIMES_TEXT];
	runtimes_names(names);
	say(info, "runtime", names);
	say(info, "clock", clock_name());
	say_number(info, "pid", (uint64_t)session.pid);
	say_command(info);
	for (size_t i = 0; i < session.options.len; i++) {
		say(info, "option", session.options.option[i].key);
		say(info, "value", session.options.option[i].value);
	}
	say_number(info, "began_ns", session.began_ns);
	say_number(info, "unix_ns", session.began_unix_ns);
	say_number(info, "wall_ns", all->wall_ns);
	if (session.processors != 0)
		say_number(info, "processors", session.processors);
	say_machine(info);
	say_number(info, "sample_every", AO_load(&session.sample_every));
	say_number(info, "sampled", session_is_sampled());
	say_number(info, "aborts_estimated", AO_load(&session.has_windows) && !AO_load(&session.counts_aborts));
	say_number(info, "timed_commits", all->total.spread.timed_commits);
	say_number(info, "lost_error_ns", (uint64_t)stmlog_root(all->log->totals.variance_ns2));
	say_number(info, "probe_events", all->total.account.events);
	say_number(info, "probe_cost_ns", all->probe_cost_ns);
	say_number(info, "origins", all->total.origins);
	say_number(info, "origins_cost_ns", all->origins_cost_ns);
	say_number(info, "events_missing", missing_events(sections->timeline));
	say_number(info, "events_unrecorded", sections->timeline != NULL ? sections->timeline->unrecorded : 0);
	say_number(info, "events_bytes", sections->timeline != NULL ? sections->timeline->bytes : 0);
	say_number(info, "attempts_without_events", sections->timeline != NULL ? sections->timeline->unmeasured : 0);
	say_number(info, "tracebacks_unavailable", all->total.tracebacks_unavailable);
	say_number(info, "calls_lost", all->total.calls_lost);
	say_number(info, "codes_lost", tb_codes_lost());
	say_number(info, "labels_lost", labels_lost());
	say_number(info, "wasted_aborts", all->log->totals.wasted.count);
	say_number(info, "wasted_ns", all->log->totals.wasted.lost_ns);
	say_number(info, "undecided_aborts", all->log->totals.undecided);
	say_number(info, "misuses", all->misuses);
	say_number(info, "threads_dropped", all->threads_dropped);
	say_number(info, "logs_unread", all->logs_unread);
	say_number(info, "killed_within", all->killed_within);
	say_number(info, "attaches_refused", all->refused);
	say_number(info, "threads_uncounted", all->total.spread.uncounted);
	say_facts(info);
	say_descheduled(info, &all->total.account);
}

int sections_say(struct sections *sections, const char *key, uint64_t number)
{
	say_number(&sections->info, key, number);
	return sections->info.has_failed ? -ENOMEM : 0;
}

uint64_t sections_events(const struct sections *sections)
{
	const struct stmlog_timeline *timeline = sections->timeline;
	return timeline != NULL ? timeline->len + missing_events(timeline) : 0;
}
