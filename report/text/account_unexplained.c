/* SPDX-License-Identifier: MIT
 * Computes the time of a row that no measured loss explains. The rows are based on more transactions than the losses:
 * on all that were timed. */
#include "recorded_account.h"

#include <inttypes.h>

#include "report_memory.h"

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static struct tally_sum explained_of(const struct recording *recording, size_t row)
{
	struct tally_sum sum = {.rows = TALLY_ROW(row)};
	for (size_t i = 0; i < recording->total_count; i++) {
		struct tally_sum more = tally_sum_of_total(&recording->totals[i]);
		if (more.rows == TALLY_ROW(row))
			tally_sum_add(&sum, &more);
	}
	return sum;
}

/* The time of waits under way, which the list of open waits explains. */
static uint64_t under_way_ns(const struct recording *recording, size_t row)
{
	uint64_t sum_ns = 0;
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct account_under_way ns = account_under_way(recording, &recording->threads[i]);
		sum_ns += row == STMLOG_ACCOUNT_PAUSED    ? ns.paused_ns
			  : row == STMLOG_ACCOUNT_WAITING ? ns.waiting_ns
							  : 0;
	}
	return sum_ns;
}

static void add_exact(struct estimate *estimate, uint64_t ns)
{
	estimate->ns += ns;
	estimate->low_ns += ns;
	estimate->high_ns += ns;
	estimate->measured_ns += ns;
}

struct account_unexplained account_unexplained(const struct recording *recording, size_t row)
{
	struct tally_sum sum = explained_of(recording, row);
	struct estimate known = sum.count != 0 ? estimate_of(recording, &sum) : estimate_exact(0);
	add_exact(&known, under_way_ns(recording, row));
	bool is_too_few = estimate_is_too_few(recording, sum.count);
	return (struct account_unexplained){
		.time = {less(recording->row_ns[row], known.ns), less(recording->row_min_ns[row], known.high_ns),
			less(recording->row_max_ns[row], known.low_ns),
			less(recording->row_measured_ns[row], known.measured_ns), !recording_is_sampled(recording)},
		.losses = sum.count,
		.is_beyond_chance = recording->row_ns[row] > known.high_ns || is_too_few,
	};
}

/* If the losses are too few, the time that they explain is not known either: then the whole row counts as unexplained.
 */
static unsigned share_of(const struct recording *recording, const struct account_unexplained *rest, unsigned tenths)
{
	double attached_ns = (double)account_total(recording).attached_ns;
	if (rest->losses == 0 || estimate_is_too_few(recording, rest->losses))
		return tenths;
	unsigned part = (unsigned)(estimate_whole((double)rest->time.ns * 1000 / attached_ns));
	return part < tenths ? part : tenths;
}

char *account_unexplained_text(const struct recording *recording, size_t row, unsigned tenths)
{
	enum { MIN = 10 };
	struct account_unexplained rest = account_unexplained(recording, row);
	unsigned share = share_of(recording, &rest, tenths);
	bool is_too_few = estimate_is_too_few(recording, rest.losses), is_sampled = recording_is_sampled(recording);
	if (!rest.is_beyond_chance || share < MIN)
		return NULL;
	char *of = rest.losses != 0 && is_too_few ? memory_format("of only %" PRIu64 " measured loss%s", rest.losses,
							    rest.losses == 1 ? "" : "es")
						  : memory_text("of no measured loss");
	char *text = memory_format("%s %s: %s%s", account_row_name(row), number_tenths(share).text, of,
		is_sampled ? "; record --sample=1 tells where" : "");
	memory_free(of);
	return text;
}

bool account_has_unexplained(const struct recording *recording)
{
	struct account_shares shares = account_shares(recording);
	bool has = false;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS && !has; row++) {
		bool is_loss = (TALLY_LOSSES & TALLY_ROW(row)) != 0;
		char *text = is_loss ? account_unexplained_text(recording, row, shares.tenths[row]) : NULL;
		has = text != NULL;
		memory_free(text);
	}
	return has;
}
