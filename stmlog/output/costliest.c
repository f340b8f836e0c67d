/* SPDX-License-Identifier: MIT
 * Writes entries in the order of their estimated times. Places have the names that the runtime gives them; addresses of
 * code stand as module+offset, as addr2line takes them. */
#include "costliest.h"

#include <inttypes.h>
#include <stdio.h>

#include "number.h"
#include "session.h"
#include "text.h"

static void put_number(struct out *out, const char *before, uint64_t number, const char *behind)
{
	out_text(out, before);
	out_number(out, number);
	out_text(out, behind);
}

/* ---- places ---- */

enum { LABEL = 12, GLANCE = 5 };

static const char *string_at(const struct sections *sections, uint32_t offset)
{
	return sections->intern.strings.bytes + offset;
}

/* The text of an address whose module is not known, or of a site that the runtime has not named. */
static void put_numbers(struct out *out, const struct stmlog_site_record *site)
{
	char text[64];
	if (site->kind == STMLOG_SITE_ADDRESS)
		snprintf(text, sizeof text, "0x%" PRIx64, site->position);
	else
		snprintf(text, sizeof text, "code 0x%" PRIx64 " position 0x%" PRIx64, site->code, site->position);
	out_text(out, text);
}

static void put_address(struct out *out, const struct sections *sections, const struct stmlog_site_record *site)
{
	const struct stmlog_module_record *modules = (const void *)sections->intern.modules.bytes;
	char offset[32];
	if (site->module == STMLOG_NO_MODULE) {
		put_numbers(out, site);
		return;
	}
	snprintf(offset, sizeof offset, "+0x%" PRIx64, site->position - modules[site->module].bias);
	text_basename(out, string_at(sections, modules[site->module].path));
	out_text(out, offset);
}

static void put_frame(struct out *out, const struct sections *sections, uint32_t number)
{
	const struct stmlog_site_record *site = (const void *)sections->intern.sites.bytes;
	site += number;
	if (site->kind == STMLOG_SITE_ADDRESS) {
		put_address(out, sections, site);
		return;
	}
	if (site->file != 0) {
		text_basename(out, string_at(sections, site->file));
		if (site->line != 0)
			put_number(out, ":", site->line, "");
		out_text(out, "  ");
	}
	if (site->function != 0)
		text_name(out, string_at(sections, site->function));
	else
		put_numbers(out, site);
}

/* The number of frames, flags and sites of a traceback that has frames; NULL: it has none, or is not known. */
static const uint32_t *words_of(const struct sections *sections, uint32_t traceback)
{
	const struct intern *intern = &sections->intern;
	if (traceback < 2)
		return NULL;
	return (const void *)(intern->tracebacks.bytes + intern->traceback_pool.offsets[traceback - 2]);
}

/* Writes a line for each of the innermost frames; the first stands behind the label. */
static void put_traceback(struct out *out, const struct sections *sections, const char *label, uint32_t traceback)
{
	const uint32_t *words = words_of(sections, traceback);
	uint32_t len = words != NULL ? words[0] : 0, shown = len < GLANCE ? len : GLANCE;
	out_text(out, "     ");
	text_left(out, LABEL, label);
	if (len == 0)
		out_text(out, traceback == 0 ? "unknown\n" : "no frames\n");
	for (uint32_t i = 0; i < shown; i++) {
		text_right(out, i > 0 ? 5 + LABEL : 0, "");
		put_frame(out, sections, words[2 + i]);
		out_text(out, "\n");
	}
	if (shown < len)
		put_number(out, "                 ... ", len - shown, " more\n");
}

/* ---- one entry ---- */

static uint64_t ns_of(const struct stmlog_entry_record *entry)
{
	return (uint64_t)(entry->estimated_ns + 0.5);
}

static const char *times(uint64_t count)
{
	return count == 1 ? " time" : " times";
}

/* A spurious wake ends an attempt because of a transaction that has not blocked it, but woken it. */
static const char *role_of(const struct stmlog_entry_record *entry)
{
	return entry->reason == STMLOG_USER_ABORT ? "woken by" : "blocked by";
}

static void put_culprit(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry)
{
	if (entry->contention == STMLOG_NONE && entry->remote < 2 && entry->remote_thread == 0) {
		if (entry->reason == STMLOG_SELF_ABORT)
			out_text(out, "     blocked by  nobody: no other transaction was in its way\n");
		return;
	}
	if (entry->remote_thread == 0 && entry->grade == STMLOG_GRADE_UNKNOWN) {
		put_traceback(out, sections, role_of(entry), entry->remote);
		return;
	}
	out_text(out, "     ");
	text_left(out, LABEL, role_of(entry));
	if (entry->remote_thread != 0)
		put_number(out, "thread ", entry->remote_thread, ", ");
	if (entry->certain > 0 && entry->certain < entry->count)
		out_texts(out, "certain ", number_share(entry->certain, entry->count).text, "\n", NULL);
	else
		out_texts(out, stmlog_grade_name(entry->grade), "\n", NULL);
	put_traceback(out, sections, "", entry->remote);
}

/* Writes the object that occurred most, if a tenth of the losses are about it: one of thousands that are hit equally is
 * there by chance. */
static void put_object(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry)
{
	char address[32];
	uint64_t count = entry->objects[0].count;
	if (entry->objects[0].address == 0 || count == 0 || count < entry->count / 10)
		return;
	snprintf(address, sizeof address, "0x%" PRIx64, entry->objects[0].address);
	out_text(out, "     object      ");
	text_name(out, entry->object_names[0] != 0 ? string_at(sections, entry->object_names[0]) : address);
	out_texts(out, " (at least ", number_count(count).text, times(count), ")\n", NULL);
}

static void put_entry(struct out *out, const struct sections *sections, const struct stmlog_entry_record *entry,
	size_t rank, uint64_t lost_ns)
{
	uint64_t ns = ns_of(entry);
	const char *detail = string_at(sections, entry->detail);
	put_number(out, rank < 10 ? "\n " : "\n", rank, "");
	out_texts(out, session_is_sampled() ? ".  ~ " : ".  ", number_time(ns).text, "  ",
		number_share(ns, lost_ns).text, "  ", number_count(entry->count).text, times(entry->count),
		session_is_sampled() ? " measured" : "", ", longest ", number_time(entry->longest_ns).text, "   ",
		stmlog_reason_name(entry->reason), ", ", stmlog_contention_name(entry->contention), NULL);
	out_text(out, detail[0] != '\0' ? ", " : "");
	text_name(out, detail);
	if (entry->local_thread != 0)
		put_number(out, "   thread ", entry->local_thread, "");
	out_text(out, "\n");
	put_traceback(out, sections, "where", entry->local);
	put_culprit(out, sections, entry);
	put_object(out, sections, entry);
}

/* ---- all ---- */

/* In a sample, the estimate of fewer losses means little. */
static bool is_too_few(const struct stmlog_entry_record *entry)
{
	enum { MIN = 10 };
	return session_is_sampled() && entry->count < MIN;
}

/* Entries of too few losses come last. */
static bool comes_before(const struct stmlog_entry_record *a, const struct stmlog_entry_record *b)
{
	if (is_too_few(a) != is_too_few(b))
		return is_too_few(b);
	return ns_of(a) > ns_of(b) || (ns_of(a) == ns_of(b) && a < b);
}

/* Returns the first of the entries that come behind this one; NULL: there are no more. Looks at all entries, since
 * sorting them needs memory. `last`: NULL for the first of all. */
static const struct stmlog_entry_record *next_of(
	const struct sections *sections, const struct stmlog_entry_record *last)
{
	const struct stmlog_entry_record *at = (const void *)sections->entries.bytes, *next = NULL;
	const struct stmlog_entry_record *end = at + sections->entries.len / sizeof *at;
	for (; at < end; at++)
		if ((last == NULL || comes_before(last, at)) && (next == NULL || comes_before(at, next)))
			next = at;
	return next;
}

static void put_heading(struct out *out, const struct sections *sections, uint64_t lost_ns)
{
	const struct stmlog_entry_record *entry = NULL;
	const struct stmlog_cost *evicted = &sections->all.log->totals.evicted;
	uint64_t shown_ns = 0;
	size_t shown = 0;
	for (; shown < session.top && (entry = next_of(sections, entry)) != NULL; shown++)
		shown_ns += ns_of(entry);
	put_number(out, "Costliest: the ", shown, " shown cover ");
	out_texts(out, number_share(shown_ns, lost_ns).text, " of the time lost", NULL);
	if (evicted->count != 0)
		out_texts(out, "; evicted losses: ", number_count(evicted->count).text, ", ",
			number_time((uint64_t)evicted->estimated_ns).text, NULL);
	out_text(out, "\n");
}

void costliest_write(struct out *out, const struct sections *sections, uint64_t lost_ns)
{
	const struct stmlog_entry_record *entry = NULL;
	put_heading(out, sections, lost_ns);
	for (size_t rank = 1; rank <= session.top && (entry = next_of(sections, entry)) != NULL; rank++)
		put_entry(out, sections, entry, rank, lost_ns);
}
