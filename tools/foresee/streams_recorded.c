/* SPDX-License-Identifier: MIT
 * The streams of a recording, as the program usually runs them: a window of some milliseconds is replayed again and
 * again, and what happened in it by chance would count too much. */
#include "streams.h"

#include <math.h>
#include <stdlib.h>

#include "bisect.h"
#include "memory.h"

/* ---- what is usual at a site where transactions begin ---- */

/* A time of a transaction that begins at this site: before its first access, or before another one. */
struct piece {
	uint64_t site;
	float ns;
};

struct pieces {
	struct piece *at;
	size_t len, cap;
};

static void add_piece(struct pieces *pieces, uint64_t site, float ns)
{
	pieces->at = memory_grown(pieces->at, pieces->len, &pieces->cap, sizeof *pieces->at);
	pieces->at[pieces->len++] = (struct piece){site, ns};
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int by_site = (x->site > y->site) - (x->site < y->site);
	return by_site != 0 ? by_site : (x->ns > y->ns) - (x->ns < y->ns);
}

/* What is usual at a site. */
struct site {
	uint64_t address;
	size_t transactions;
	float first_ns; /* before the first access */
	float max_ns;   /* before another one: larger times are in less than one transaction in fifty */
};

struct sites {
	struct site *at; /* by address */
	size_t len;
};

/* Whether a transaction is irrevocable behind the record, if it `is_alone` before. */
static bool is_alone_behind(bool is_alone, const struct stmlog_access_record *record)
{
	return record->kind == STMLOG_ACCESS_ALONE || (is_alone && !stream_is_end(record->kind));
}

static void collect(const struct stream *stream, struct pieces *firsts, struct pieces *others)
{
	uint64_t site = 0;
	bool is_alone = false;
	for (size_t i = 0; i < stream->len; i++) {
		if (stream->at[i].kind == STMLOG_ACCESS_BEGIN)
			site = stream->at[i].address;
		else if (stream->at[i - 1].kind == STMLOG_ACCESS_BEGIN)
			add_piece(firsts, site, stream->at[i].gap_ns);
		else if (!is_alone)
			add_piece(others, site, stream->at[i].gap_ns);
		is_alone = is_alone_behind(is_alone, &stream->at[i]);
	}
}

/* How many pieces from the first on are of its site. Sorts nothing. */
static size_t same_site(const struct pieces *pieces, size_t from)
{
	size_t end = from;
	while (end < pieces->len && pieces->at[end].site == pieces->at[from].site)
		end++;
	return end - from;
}

static uint64_t address_at(const void *sites, size_t index)
{
	return ((const struct site *)sites)[index].address;
}

static struct site *find_site(const struct sites *sites, uint64_t address)
{
	size_t up_to = bisect(sites->at, sites->len, address, address_at);
	return up_to > 0 && sites->at[up_to - 1].address == address ? &sites->at[up_to - 1] : NULL;
}

/* The usual one of these times before a first access, sorted: the median. But where the upper quartile is far above the
 * lower one, half of them or more may have waited in begin: then the lower quartile. */
static float usual_first(const struct piece *pieces, size_t len)
{
	enum { FAR = 4 };
	float quarter_ns = pieces[len / 4].ns, three_quarters_ns = pieces[len - 1 - len / 4].ns;
	return three_quarters_ns > FAR * quarter_ns ? quarter_ns : pieces[len / 2].ns;
}

static struct sites sites_of(const struct streams *streams)
{
	enum { RARE = 50 };
	struct pieces firsts = {.len = 0}, others = {.len = 0};
	for (size_t i = 0; i < streams->len; i++)
		collect(&streams->at[i], &firsts, &others);
	if (firsts.len > 0)
		qsort(firsts.at, firsts.len, sizeof *firsts.at, compare_pieces);
	if (others.len > 0)
		qsort(others.at, others.len, sizeof *others.at, compare_pieces);
	struct sites sites = {.at = memory_zeroed(firsts.len + 1, sizeof *sites.at)};
	for (size_t from = 0, len; from < firsts.len; from += len) {
		len = same_site(&firsts, from);
		sites.at[sites.len++] = (struct site){firsts.at[from].site, len, usual_first(&firsts.at[from], len), 0};
	}
	for (size_t from = 0, len; from < others.len; from += len) {
		struct site *site = find_site(&sites, others.at[from].site);
		len = same_site(&others, from);
		size_t rare = site->transactions / RARE;
		site->max_ns = others.at[from + len - 1 - (rare < len ? rare : len - 1)].ns;
	}
	free(firsts.at);
	free(others.at);
	return sites;
}

/* What libitm's begin takes: at some site hardly anything else is done before the first access. The shortest median,
 * but BEGIN_MAX_NS at most. Sites of few transactions do not count. */
static float begin_ns(const struct sites *sites)
{
	enum { ENOUGH = 16, BEGIN_MAX_NS = 60 };
	float shortest = BEGIN_MAX_NS;
	for (size_t i = 0; i < sites->len; i++)
		if (sites->at[i].transactions >= ENOUGH && sites->at[i].first_ns < shortest)
			shortest = sites->at[i].first_ns;
	return shortest;
}

/* The time before a first access has libitm's begin in it, and what begin has waited, which may be most of it.
 * Interrupts of the processor are in any time: there are few, but a window of some milliseconds that has one is
 * replayed again and again. So long times become those that are usual. What an irrevocable transaction does is left as
 * it is. */
static void clean(struct stream *stream, const struct sites *sites, float begin)
{
	const struct site *site = NULL;
	bool is_alone = false;
	for (size_t i = 0; i < stream->len; i++) {
		float *ns = &stream->at[i].gap_ns;
		if (stream->at[i].kind == STMLOG_ACCESS_BEGIN) {
			site = find_site(sites, stream->at[i].address);
		} else if (site == NULL) {
			continue; /* never: each transaction begins with the record of its site, which is in `sites` */
		} else if (stream->at[i - 1].kind == STMLOG_ACCESS_BEGIN) {
			float max_ns = site->first_ns + site->first_ns / 2;
			*ns = *ns < max_ns ? *ns : max_ns;
			*ns = *ns > begin ? *ns - begin : 0;
		} else if (!is_alone && *ns > site->max_ns) {
			*ns = site->max_ns;
		}
		is_alone = is_alone_behind(is_alone, &stream->at[i]);
	}
}

static void clean_all(struct streams *streams)
{
	struct sites sites = sites_of(streams);
	float begin = begin_ns(&sites);
	for (size_t i = 0; i < streams->len; i++)
		clean(&streams->at[i], &sites, begin);
	free(sites.at);
}

/* ---- transactions that ran alone ---- */

/* Where a transaction with accesses begins. */
struct full {
	uint64_t site;
	size_t at;
};

struct fulls {
	struct full *at; /* by site, then in order */
	size_t len, cap;
};

static int compare_fulls(const void *a, const void *b)
{
	const struct full *x = a, *y = b;
	int by_site = (x->site > y->site) - (x->site < y->site);
	return by_site != 0 ? by_site : (x->at > y->at) - (x->at < y->at);
}

static struct fulls fulls_of(const struct stream *stream)
{
	struct fulls fulls = {.len = 0};
	for (size_t i = 0, len; i < stream->len; i += len) {
		len = stream_transaction_len(stream, i);
		if (len <= 2)
			continue;
		fulls.at = memory_grown(fulls.at, fulls.len, &fulls.cap, sizeof *fulls.at);
		fulls.at[fulls.len++] = (struct full){stream->at[i].address, i};
	}
	if (fulls.len > 0)
		qsort(fulls.at, fulls.len, sizeof *fulls.at, compare_fulls);
	return fulls;
}

/* The first one of the site that begins at `at` or later; SIZE_MAX: none. */
static size_t next_full(const struct fulls *fulls, uint64_t site, size_t at)
{
	const struct full key = {site, at};
	size_t low = 0, high = fulls->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_fulls(&fulls->at[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < fulls->len && fulls->at[low].site == site ? fulls->at[low].at : SIZE_MAX;
}

/* libitm runs a transaction that has failed too often alone, by code without data barriers: its record has no access.
 * Returns the next transaction of the same site that has, from `at` on and then from the front; SIZE_MAX: none. */
static size_t like(const struct stream *stream, const struct fulls *fulls, size_t at)
{
	size_t found = next_full(fulls, stream->at[at].address, at);
	return found != SIZE_MAX ? found : next_full(fulls, stream->at[at].address, 0);
}

/* It gets the accesses of another one. */
static void fill_empty(struct stream *stream)
{
	struct stream filled = {.thread_id = stream->thread_id, .window = stream->window};
	struct fulls fulls = fulls_of(stream);
	for (size_t i = 0, len; i < stream->len; i += len) {
		len = stream_transaction_len(stream, i);
		size_t other = len == 2 ? like(stream, &fulls, i) : SIZE_MAX;
		size_t from = other != SIZE_MAX ? other : i;
		stream_append(&filled, &stream->at[from], stream_transaction_len(stream, from));
		filled.at[filled.len - stream_transaction_len(stream, from)].gap_ns = stream->at[i].gap_ns;
	}
	free(fulls.at);
	free(stream->at);
	*stream = filled;
}

/* ---- times outside ---- */

/* The mean of a thread's known times outside; 0: none is known. Times that have become the mean do not change it. */
static float mean_outside(const struct streams *streams, uint32_t thread_id)
{
	double sum = 0;
	size_t known = 0;
	for (size_t i = 0; i < streams->len; i++) {
		const struct stream *stream = &streams->at[i];
		for (size_t k = 0; k < stream->len && stream->thread_id == thread_id; k++) {
			if (stream->at[k].kind != STMLOG_ACCESS_BEGIN || stream->at[k].gap_ns < 0)
				continue;
			sum += (double)stream->at[k].gap_ns;
			known++;
		}
	}
	return known > 0 ? (float)(sum / (double)known) : 0;
}

static void fill_unknown(struct stream *stream, float ns)
{
	for (size_t i = 0; i < stream->len; i++)
		if (stream->at[i].gap_ns < 0)
			stream->at[i].gap_ns = ns;
}

/* Changes the times in place: what libitm's begin takes and waits is taken out of the time before a first access, rare
 * long times become usual ones, and an unknown time outside becomes the mean of the known ones. A transaction that ran
 * alone, without accesses, gets those of another one of its site. */
static void usual_times(struct streams *streams)
{
	for (size_t i = 0; i < streams->len; i++)
		fill_empty(&streams->at[i]);
	for (size_t i = 0; i < streams->len; i++)
		fill_unknown(&streams->at[i], mean_outside(streams, streams->at[i].thread_id));
	clean_all(streams);
}

/* ---- streams ---- */

static bool is_time(const struct stmlog_access_record *record)
{
	return isfinite(record->gap_ns) && (record->gap_ns >= 0 || record->kind == STMLOG_ACCESS_BEGIN);
}

/* Whether the records are whole transactions. */
static bool is_in_order(const struct stmlog_access_record *at, size_t len)
{
	bool is_inside = false;
	for (size_t i = 0; i < len; i++) {
		bool begins = at[i].kind == STMLOG_ACCESS_BEGIN;
		if (at[i].kind >= STMLOG_ACCESS_KINDS || begins == is_inside || !is_time(&at[i]))
			return false;
		is_inside = !stream_is_end(at[i].kind);
	}
	return !is_inside;
}

static size_t stream_end(const struct recording *recording, size_t from)
{
	while (from < recording->access_count && recording->accesses[from].kind != STMLOG_ACCESS_THREAD)
		from++;
	return from;
}

/* The number of the window that begins with the record; 0: none does. */
static uint32_t window_of(const struct stmlog_access_record *record)
{
	bool begins = record->kind == STMLOG_ACCESS_BEGIN && record->gap_ns < -1;
	return begins ? (uint32_t)fmin((double)-record->gap_ns - 1, UINT16_MAX) : 0;
}

/* Adds the streams of a thread. Its records may begin without a window. */
static void add_thread(struct streams *streams, const struct stmlog_access_record *at, size_t len, uint32_t thread_id)
{
	struct stream like = {.thread_id = thread_id};
	for (size_t from = 0, end; from < len; from = end) {
		like.window = window_of(&at[from]);
		end = from + 1;
		while (end < len && window_of(&at[end]) <= like.window)
			end++;
		streams->at[streams->len++] = stream_of(&like, at + from, end - from);
	}
}

struct streams streams_of(const struct recording *recording)
{
	struct streams streams = {.at = memory_zeroed(recording->access_count + 1, sizeof *streams.at)};
	size_t end = 0;
	for (size_t i = 0; i < recording->access_count; i = end) {
		const struct stmlog_access_record *thread = &recording->accesses[i];
		end = stream_end(recording, i + 1);
		if (thread->kind != STMLOG_ACCESS_THREAD || !is_in_order(thread + 1, end - i - 1)) {
			streams_fini(&streams);
			return streams;
		}
		add_thread(&streams, thread + 1, end - i - 1, (uint32_t)thread->address);
	}
	usual_times(&streams);
	return streams;
}
