/* SPDX-License-Identifier: MIT
 * Estimates the losses of entries from the losses of sites, and the commits of sites. */
#include "sections.h"

#include <errno.h>

#include "index.h"
#include "mem.h"

/* With fewer timed losses, a site has no estimate of its own. */
#define MIN_LOSSES 10

/* The losses of each site, merged over all threads; `all` is their sum. */
struct sites {
	struct tries_site *sites;
	struct index index;
	size_t len;
	struct tries_lost all[TRIES_LOST];
	size_t size; /* bytes allocated */
};

/* The factor by which the estimate of a loss changes, and the relative variance of this factor. */
struct factor {
	double by;
	double relative_variance;
};

/* ---- sites ---- */

static int sites_init(struct sites *sites, size_t max)
{
	size_t rows = max * sizeof *sites->sites;
	sites->size = rows + index_storage_size((uint32_t)max);
	sites->sites = mem_alloc(sites->size);
	if (sites->sites == NULL)
		return -ENOMEM;
	index_init(&sites->index, (uint32_t)max, (char *)sites->sites + rows);
	return 0;
}

static struct tries_site *share_find(const struct sites *sites, struct tb_site site)
{
	struct index_cursor cursor = index_find(&sites->index, site_hash(site));
	uint32_t item;
	while (index_next(&cursor, &item))
		if (site_is_same(sites->sites[item].site, site))
			return &sites->sites[item];
	return NULL;
}

static struct tries_site *find_or_add(struct sites *sites, struct tb_site site)
{
	struct tries_site *found = share_find(sites, site);
	if (found != NULL)
		return found;
	index_add(&sites->index, site_hash(site), (uint32_t)sites->len);
	found = &sites->sites[sites->len++];
	*found = (struct tries_site){.site = site};
	return found;
}

static void add_lost(struct tries_lost *sum, const struct tries_lost *more)
{
	sum->timed += more->timed;
	sum->timed_ns += more->timed_ns;
	sum->square_ns2 += more->square_ns2;
	sum->close_ns += more->close_ns;
}

static void sites_fill(struct sites *sites, const struct spent *spent)
{
	for (size_t i = 0; i < spent->tries_count; i++) {
		struct tries_site *site = find_or_add(sites, spent->tries[i].site);
		for (int row = 0; row < TRIES_LOST; row++) {
			add_lost(&site->lost[row], &spent->tries[i].lost[row]);
			add_lost(&sites->all[row], &spent->tries[i].lost[row]);
		}
	}
}

/* ---- rows ---- */

static double row_ns(const struct gathered *all, enum tries_lost_row row)
{
	const struct stmlog_account *account = &all->total.account;
	uint64_t aborted_ns = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		aborted_ns += account->estimated_aborted_ns[c];
	return (double)(row == TRIES_ABORTED  ? aborted_ns
			: row == TRIES_PAUSED ? account->estimated_paused_ns
					      : account->estimated_waiting_inevitable_ns);
}

static const enum stmlog_account_row account_rows[TRIES_LOST] = {
	STMLOG_ACCOUNT_ABORTED, STMLOG_ACCOUNT_PAUSED, STMLOG_ACCOUNT_WAITING};

static double row_variance(const struct gathered *all, enum tries_lost_row row)
{
	return all->total.spread.variance_ns2[account_rows[row]];
}

/* Returns the row's doubt as a relative variance, because entries have only a variance. The doubt is half the width of
 * an interval. */
static double relative_doubt(const struct gathered *all, enum tries_lost_row row, double ns)
{
	double doubt = (double)all->total.spread.doubt_ns[account_rows[row]] / ns / STMLOG_STANDARD_ERRORS;
	return doubt * doubt;
}

/* ---- factors ---- */

/* Whether the rows are estimated by more than weights. Otherwise the estimates by weights stay unchanged. */
static bool has_observed(const struct gathered *all)
{
	return (all->total.spread.timed | all->total.spread.windows) != 0;
}

static const struct factor unchanged = {1, 0};

/* Returns the factor of all sites together. */
static struct factor factor_of_row(const struct gathered *all, const struct sites *sites, enum tries_lost_row row)
{
	if (!has_observed(all))
		return unchanged;
	double ns = row_ns(all, row), close_ns = sites->all[row].close_ns;
	if (!(close_ns > 0) || !(ns > 0))
		return (struct factor){0, 0};
	return (struct factor){ns / close_ns, row_variance(all, row) / (ns * ns) + relative_doubt(all, row, ns)};
}

static struct factor factor_of(
	const struct gathered *all, const struct sites *sites, struct tb_site where, enum tries_lost_row row)
{
	if (!has_observed(all))
		return unchanged;
	const struct tries_site *site = share_find(sites, where);
	const struct tries_lost *lost = site != NULL ? &site->lost[row] : NULL;
	struct factor factor = factor_of_row(all, sites, row);
	if (lost == NULL || lost->timed < MIN_LOSSES || !(lost->close_ns > 0))
		return factor;
	factor.by = lost->timed_ns / lost->close_ns * (row_ns(all, row) / sites->all[row].timed_ns);
	factor.relative_variance =
		lost->square_ns2 / (lost->timed_ns * lost->timed_ns) + relative_doubt(all, row, row_ns(all, row));
	return factor;
}

/* ---- entries ---- */

static double at_least(double ns, double min_ns)
{
	return ns > min_ns ? ns : min_ns;
}

static void scale(struct stmlog_cost *cost, struct factor factor)
{
	double ns = at_least(cost->estimated_ns * factor.by, (double)cost->lost_ns);
	cost->variance_ns2 = cost->variance_ns2 * factor.by * factor.by + ns * ns * factor.relative_variance;
	cost->estimated_ns = ns;
}

/* The sums of entries and evicted losses, by cause or row. */
struct causes {
	struct stmlog_cost evicted[STMLOG_REASONS][STMLOG_CONTENTIONS];
	double sum_ns[TRIES_LOST];  /* estimates */
	double kept_ns[TRIES_LOST]; /* the measured part of these */
};

/* Finds the evicted losses of each cause: those that no entry has. */
static void find_evicted(struct stmlog_timelog *log, struct causes *causes)
{
	*causes = (struct causes){.sum_ns = {0}};
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			causes->evicted[r][c] = log->totals.by_cause[r][c];
	for (size_t i = 0; i < log->len; i++) {
		const struct stmlog_entry *entry = &log->groups[i].entry;
		struct stmlog_cost *evicted = &causes->evicted[entry->cause.reason][entry->cause.contention];
		struct stmlog_cost cost = group_cost(&log->groups[i]);
		evicted->count -= cost.count;
		evicted->lost_ns -= cost.lost_ns;
		evicted->estimated_ns = at_least(evicted->estimated_ns - cost.estimated_ns, (double)evicted->lost_ns);
		evicted->variance_ns2 = at_least(evicted->variance_ns2 - cost.variance_ns2, 0);
	}
}

static void count_in(struct causes *causes, enum tries_lost_row row, const struct stmlog_cost *cost)
{
	causes->sum_ns[row] += cost->estimated_ns;
	causes->kept_ns[row] += (double)cost->lost_ns;
}

static void scale_all(const struct gathered *all, const struct sites *sites, struct causes *causes)
{
	struct stmlog_timelog *log = all->log;
	for (size_t i = 0; i < log->len; i++) {
		struct stmlog_entry *entry = &log->groups[i].entry;
		enum tries_lost_row row = tries_lost_by(entry->cause.reason);
		struct stmlog_cost cost = group_cost(&log->groups[i]);
		scale(&cost, factor_of(all, sites, entry->site, row));
		entry->estimated_ns = cost.estimated_ns;
		entry->variance_ns2 = cost.variance_ns2;
		count_in(causes, row, &cost);
	}
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
			enum tries_lost_row row = tries_lost_by((enum stmlog_reason)r);
			scale(&causes->evicted[r][c], factor_of_row(all, sites, row));
			count_in(causes, row, &causes->evicted[r][c]);
		}
}

/* Returns an estimate whose part above the measured time is cut down, so that the parts of a row are together no more
 * than the row. */
static double fitted(
	const struct gathered *all, const struct causes *causes, enum tries_lost_row row, double ns, double measured_ns)
{
	double max_ns = at_least(row_ns(all, row), causes->kept_ns[row]);
	if (causes->sum_ns[row] <= max_ns)
		return ns;
	return measured_ns +
	       (ns - measured_ns) * (max_ns - causes->kept_ns[row]) / (causes->sum_ns[row] - causes->kept_ns[row]);
}

static double variance_of_rows(const struct gathered *all)
{
	double sum = 0;
	for (int row = 0; row < TRIES_LOST; row++)
		sum += row_variance(all, (enum tries_lost_row)row);
	return sum;
}

static double variance_of_causes(const struct stmlog_totals *totals)
{
	double sum = 0;
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			sum += totals->by_cause[r][c].variance_ns2;
	return sum;
}

/* Cuts all estimates down so that they fit the rows, and sets the totals to the sums of their parts. */
static void fit_all(const struct gathered *all, struct causes *causes)
{
	struct stmlog_timelog *log = all->log;
	struct stmlog_totals *totals = &log->totals;
	bool are_scaled = has_observed(all);
	totals->evicted.estimated_ns = 0;
	if (are_scaled)
		totals->evicted.variance_ns2 = 0;
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
			struct stmlog_cost *evicted = &causes->evicted[r][c], *total = &totals->by_cause[r][c];
			evicted->estimated_ns = fitted(all, causes, tries_lost_by((enum stmlog_reason)r),
				evicted->estimated_ns, (double)evicted->lost_ns);
			totals->evicted.estimated_ns += evicted->estimated_ns;
			total->estimated_ns = evicted->estimated_ns;
			if (!are_scaled)
				continue;
			totals->evicted.variance_ns2 += evicted->variance_ns2;
			total->variance_ns2 = evicted->variance_ns2;
		}
	for (size_t i = 0; i < log->len; i++) {
		struct stmlog_entry *entry = &log->groups[i].entry;
		struct stmlog_cost *total = &totals->by_cause[entry->cause.reason][entry->cause.contention];
		entry->estimated_ns = fitted(all, causes, tries_lost_by(entry->cause.reason), entry->estimated_ns,
			(double)group_cost(&log->groups[i]).lost_ns);
		total->estimated_ns += entry->estimated_ns;
		if (are_scaled)
			total->variance_ns2 += entry->variance_ns2;
	}
	if (are_scaled)
		totals->variance_ns2 = at_least(variance_of_rows(all), variance_of_causes(totals));
}

/* ---- commits ---- */

/* What was counted or timed of the commits of sites, or of all of them. */
struct commits {
	double ns, count;
};

/* The parts by which sites share: of timed transactions, or else of those which the measured ones stand for. */
static struct commits part_of(const struct gathered *all, const struct tries_site *site)
{
	if (all->total.spread.timed != 0)
		return (struct commits){site->timed_committed_ns, site->timed_commits};
	return (struct commits){site->record.estimated_committed_ns, site->record.estimated_commits};
}

static double share_of(double part, double sum, double whole)
{
	return sum > 0 ? part / sum * whole : 0;
}

static void set_commits(
	struct stmlog_transaction_record *record, struct commits part, struct commits sum, struct commits whole)
{
	double ns = share_of(part.ns, sum.ns, whole.ns), count = share_of(part.count, sum.count, whole.count);
	record->estimated_committed_ns = at_least(ns, (double)record->committed_ns);
	record->estimated_commits = at_least(count, (double)record->commits);
}

/* Divides commits and committed time of the account among sites. */
static void share_commits(const struct gathered *all, struct spent *spent)
{
	const struct stmlog_account *account = &all->total.account;
	struct commits sum = {0, 0}, whole = {(double)account->estimated_committed_ns,
					     (double)account->commits + (double)account->unmeasured_commits};
	for (size_t i = 0; i < spent->tries_count; i++) {
		struct commits part = part_of(all, &spent->tries[i]);
		sum.ns += part.ns;
		sum.count += part.count;
	}
	for (size_t i = 0; i < spent->tries_count; i++)
		set_commits(&spent->tries[i].record, part_of(all, &spent->tries[i]), sum, whole);
}

int share_rows(struct gathered *all, struct spent *spent)
{
	struct sites sites = {.len = 0};
	struct causes causes;
	if (sites_init(&sites, spent->tries_count + 1) != 0)
		return -ENOMEM;
	sites_fill(&sites, spent);
	share_commits(all, spent);
	find_evicted(all->log, &causes);
	scale_all(all, &sites, &causes);
	fit_all(all, &causes);
	mem_free(sites.sites, sites.size);
	return 0;
}
