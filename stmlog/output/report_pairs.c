/* SPDX-License-Identifier: MIT
 * Who aborts whom, as text. */
#include "pairs.h"
#include "report_parts.h"
#include "session.h"

#define PAIRS_SHOWN 5

static void show_place(struct out *out, const struct place *place)
{
	if (place->kind == PLACE_SITE)
		report_show_site(out, place->site);
	else
		out_text(out, place->kind == PLACE_UNKNOWN ? "unknown" : "(no frames)");
}

static void show_pair(struct out *out, const struct pair *pair, uint64_t all_ns)
{
	out_text(out, "  ");
	show_place(out, &pair->local);
	out_text(out, "  lost ");
	report_show_lost(out, &pair->sum);
	out_text(out, " (");
	out_percent(out, report_lost_ns(&pair->sum), all_ns);
	out_text(out, ") ");
	report_show_times(out, pair->sum.count);
	out_text(out, " to  ");
	show_place(out, &pair->remote);
	out_text(out, "\n");
}

static void show_wasted(struct out *out, const struct stmlog_totals *totals, uint64_t all_ns)
{
	if (totals->wasted.count == 0)
		return;
	out_text(out, "for nothing, the culprit aborted too: ");
	out_duration(out, totals->wasted.lost_ns);
	out_text(out, " (");
	out_percent(out, totals->wasted.lost_ns, all_ns);
	out_text(out, "), ");
	report_show_times(out, totals->wasted.count);
	if (totals->undecided != 0) {
		out_text(out, "; undecided: ");
		out_count(out, totals->undecided);
	}
	out_text(out, "\n");
}

static void show_costliest(struct out *out, const struct pairs *pairs, uint64_t all_ns)
{
	size_t most = session.top < PAIRS_SHOWN ? session.top : PAIRS_SHOWN;
	const struct pair *pair = pairs_after(pairs, NULL);
	for (size_t shown = 0; shown < most && pair != NULL; shown++) {
		show_pair(out, pair, all_ns);
		pair = pairs_after(pairs, pair);
	}
	if (pair != NULL) {
		out_text(out, "  ... ");
		out_number(out, pairs->len - most);
		out_text(out, " more\n");
	}
}

/* Where nothing is known of any other side the entries have said it all. */
static bool knows_anybody(const struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->len; i++)
		if (pairs->at[i].remote.kind == PLACE_SITE)
			return true;
	return false;
}

void report_show_pairs(struct out *out, struct stmlog_timelog *log)
{
	struct pairs pairs;
	struct stmlog_cost recorded = timelog_recorded(log);
	uint64_t all_ns = report_lost_ns(&recorded);
	if (session.top == 0)
		return;
	if (pairs_make(&pairs, log) != 0) {
		out_text(out, "\nWho aborts whom: no memory to tell\n");
		return;
	}
	if (knows_anybody(&pairs)) {
		out_text(out, "\nWho aborts whom\n");
		show_costliest(out, &pairs, all_ns);
		show_wasted(out, &log->totals, recorded.lost_ns);
	}
	pairs_drop(&pairs);
}
