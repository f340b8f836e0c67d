/* SPDX-License-Identifier: MIT
 * The costliest entries as text. Addresses stay module+offset here, since reading debug information is no
 * work for somebody else's process. */
#include <string.h>

#include "modules.h"
#include "names.h"
#include "report_parts.h"
#include "session.h"

#define FRAMES_SHOWN 8

uint64_t report_lost_ns(const struct stmlog_cost *cost)
{
	return session_is_sampled() ? (uint64_t)cost->estimated_ns : cost->lost_ns;
}

void report_show_lost(struct out *out, const struct stmlog_cost *cost)
{
	out_text(out, session_is_sampled() ? "~ " : "");
	out_duration(out, report_lost_ns(cost));
	if (!session_is_sampled())
		return;
	out_text(out, " +- ");
	out_duration(out, (uint64_t)stmlog_half_width_ns(cost->variance_ns2));
}

void report_show_times(struct out *out, uint64_t count)
{
	out_counted(out, count, "time");
	out_text(out, session_is_sampled() ? " measured" : "");
}

static void show_address(struct out *out, uint64_t address)
{
	struct module module;
	if (!modules_find(address, &module)) {
		out_hex(out, address);
		return;
	}
	const char *slash = strrchr(module.path, '/');
	out_texts(out, slash != NULL ? slash + 1 : module.path, "+", NULL);
	out_hex(out, address - module.bias);
}

void report_show_site(struct out *out, struct tb_site site)
{
	struct stmlog_name name;
	if (site.code == TB_CODE_ADDRESS) {
		show_address(out, site.position);
	} else if (names_expand(site, &name)) {
		out_texts(out, name.function, " ", name.file, ":", NULL);
		out_number(out, name.line);
	} else {
		out_hex(out, site.code);
		out_text(out, ":");
		out_hex(out, site.position);
	}
}

/* "(thread 2, certain)", of which only what is known. */
static void show_thread(struct out *out, uint32_t thread, enum stmlog_grade grade)
{
	if (thread == 0)
		return;
	out_text(out, "  (thread ");
	out_number(out, thread);
	if (grade != STMLOG_GRADE_UNKNOWN)
		out_texts(out, ", ", stmlog_grade_name(grade), NULL);
	out_text(out, ")");
}

static void show_traceback(
	struct out *out, const char *title, const struct tb_frame *traceback, uint32_t thread, enum stmlog_grade grade)
{
	static const char indent[] = "\n              ";
	out_texts(out, "  ", title, NULL);
	if (tb_is_unknown(traceback))
		out_text(out, "unknown");
	else if (!tb_is_frame(traceback))
		out_text(out, "(no frames)");
	size_t shown = 0;
	for (const struct tb_frame *frame = traceback; tb_is_frame(frame); frame = tb_down(frame)) {
		if (shown++ == FRAMES_SHOWN) {
			out_texts(out, indent, "... ", NULL);
			out_number(out, tb_depth(frame));
			out_text(out, " more");
			break;
		}
		if (shown > 1)
			out_text(out, indent);
		report_show_site(out, tb_site(frame));
		if (shown == 1)
			show_thread(out, thread, grade);
	}
	out_text(out, "\n");
}

static void show_wasted(struct out *out, const struct stmlog_entry *entry)
{
	if (entry->wasted == 0)
		return;
	out_text(out, "  for nothing ");
	out_count(out, entry->wasted);
	out_text(out, " of ");
	out_count(out, entry->count);
	out_text(out, " (their culprit was aborted as well)\n");
}

static void show_certain(struct out *out, const struct stmlog_entry *entry)
{
	if (entry->certain == 0 || entry->certain == entry->count)
		return;
	out_text(out, "  certain     ");
	out_count(out, entry->certain);
	out_text(out, " of ");
	out_count(out, entry->count);
	out_text(out, "; the others are likely\n");
}

static struct stmlog_cost cost_of(const struct stmlog_entry *entry)
{
	return (struct stmlog_cost){entry->count, entry->lost_ns, entry->estimated_ns, entry->variance_ns2};
}

static void show_entry(struct out *out, size_t rank, const struct stmlog_entry *entry, uint64_t all_ns)
{
	struct stmlog_cost cost = cost_of(entry);
	out_text(out, "\n");
	out_number(out, rank + 1);
	out_text(out, ". ");
	report_show_lost(out, &cost);
	out_text(out, " (");
	out_percent(out, report_lost_ns(&cost), all_ns);
	out_text(out, "), ");
	report_show_times(out, entry->count);
	out_text(out, ", longest ");
	out_duration(out, entry->longest_ns);
	out_texts(out, ": ", stmlog_reason_name(entry->cause.reason), ", ",
		stmlog_contention_name(entry->cause.contention), NULL);
	if (entry->cause.detail != NULL)
		out_texts(out, ", ", entry->cause.detail, NULL);
	bool is_wait = entry->cause.reason == STMLOG_PAUSE || entry->cause.reason == STMLOG_WAIT;
	if (is_wait && session_fact("waits_estimated") != 0)
		out_text(out, ", estimated");
	out_text(out, "\n");
	show_traceback(out, "where       ", entry->local, entry->local_thread, STMLOG_GRADE_UNKNOWN);
	if (entry->cause.contention != STMLOG_NONE) {
		show_traceback(out, "blocked by  ", entry->remote, entry->remote_thread, entry->grade);
		show_certain(out, entry);
	}
	show_wasted(out, entry);
	report_show_objects(out, entry);
}

static void add_shown(uint64_t *shown_ns, const struct group *group)
{
	struct stmlog_cost cost = group_cost(group);
	*shown_ns += report_lost_ns(&cost);
}

/* By the time measured: where threads are not measured equally often, the estimates beside may come in another
 * order. */
void report_show_entries(struct out *out, struct stmlog_timelog *log)
{
	struct stmlog_cost recorded = timelog_recorded(log);
	const struct group *group;
	uint64_t shown_ns = 0;
	size_t shown = 0;
	for (; shown < session.top && (group = timelog_at(log, shown)) != NULL; shown++)
		add_shown(&shown_ns, group);
	out_text(out, "Costliest: the ");
	out_number(out, shown);
	out_text(out, " shown cover ");
	out_percent(out, shown_ns, report_lost_ns(&recorded));
	out_text(out, " of the time lost; evicted: ");
	out_count(out, log->totals.evicted.count);
	out_text(out, "\n");
	for (size_t rank = 0; rank < shown; rank++)
		show_entry(out, rank, &timelog_at(log, rank)->entry, report_lost_ns(&recorded));
}
