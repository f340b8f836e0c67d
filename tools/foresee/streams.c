/* SPDX-License-Identifier: MIT
 * Streams: made from a recording, copied with other times, written for the replay. */
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* ---- from a recording ---- */

static bool is_end(uint16_t kind)
{
	return kind == STMLOG_ACCESS_COMMIT || kind == STMLOG_ACCESS_CANCEL;
}

size_t stream_transaction_len(const struct stream *stream, size_t at)
{
	size_t end = at;
	while (end < stream->len && !is_end(stream->at[end].kind))
		end++;
	return end < stream->len ? end + 1 - at : stream->len - at;
}

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
		is_inside = !is_end(at[i].kind);
	}
	return !is_inside;
}

static void count_transactions(struct streams *streams)
{
	streams->transactions = 0;
	for (size_t i = 0; i < streams->len; i++)
		for (size_t k = 0; k < streams->at[i].len; k++)
			streams->transactions += streams->at[i].at[k].kind == STMLOG_ACCESS_BEGIN;
}

static struct stream stream_copy(const struct stmlog_access_record *at, size_t len, uint32_t thread_id)
{
	struct stream stream = {.at = memory_zeroed(len, sizeof *at), .len = len, .cap = len, .thread_id = thread_id};
	memcpy(stream.at, at, len * sizeof *at);
	return stream;
}

static size_t stream_end(const struct recording *recording, size_t from)
{
	while (from < recording->access_count && recording->accesses[from].kind != STMLOG_ACCESS_THREAD)
		from++;
	return from;
}

/* The mean of the known times outside; 0: none is known. */
static float mean_outside(const struct stream *stream)
{
	double sum = 0;
	size_t known = 0;
	for (size_t i = 0; i < stream->len; i++) {
		if (stream->at[i].kind != STMLOG_ACCESS_BEGIN || stream->at[i].gap_ns < 0)
			continue;
		sum += (double)stream->at[i].gap_ns;
		known++;
	}
	return known > 0 ? (float)(sum / (double)known) : 0;
}

static void fill_unknown(struct stream *stream)
{
	float mean = mean_outside(stream);
	for (size_t i = 0; i < stream->len; i++)
		if (stream->at[i].gap_ns < 0)
			stream->at[i].gap_ns = mean;
}

/* ---- times that are not the program's own ---- */

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
	float first_ns; /* before the first access: the median */
	float most_ns;  /* before another one: larger times are in less than one transaction in fifty */
};

struct sites {
	struct site *at; /* by address */
	size_t len;
};

static void collect(const struct stream *stream, struct pieces *firsts, struct pieces *others)
{
	uint64_t site = 0;
	for (size_t i = 0; i < stream->len; i++) {
		bool begins = stream->at[i].kind == STMLOG_ACCESS_BEGIN;
		if (begins)
			site = stream->at[i].address;
		else if (stream->at[i - 1].kind == STMLOG_ACCESS_BEGIN)
			add_piece(firsts, site, stream->at[i].gap_ns);
		else if (stream->at[i - 1].kind != STMLOG_ACCESS_ALONE)
			add_piece(others, site, stream->at[i].gap_ns);
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

static struct site *find_site(const struct sites *sites, uint64_t address)
{
	for (size_t low = 0, high = sites->len; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (sites->at[middle].address == address)
			return &sites->at[middle];
		if (sites->at[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
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
		sites.at[sites.len++] = (struct site){firsts.at[from].site, len, firsts.at[from + len / 2].ns, 0};
	}
	for (size_t from = 0, len; from < others.len; from += len) {
		struct site *site = find_site(&sites, others.at[from].site);
		len = same_site(&others, from);
		size_t rare = site->transactions / RARE;
		site->most_ns = others.at[from + len - 1 - (rare < len ? rare : len - 1)].ns;
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
	for (size_t i = 0; i < stream->len; i++) {
		float *ns = &stream->at[i].gap_ns;
		uint16_t before = i > 0 ? stream->at[i - 1].kind : STMLOG_ACCESS_ALONE;
		if (stream->at[i].kind == STMLOG_ACCESS_BEGIN) {
			site = find_site(sites, stream->at[i].address);
		} else if (before == STMLOG_ACCESS_BEGIN) {
			float most_ns = site->first_ns + site->first_ns / 2;
			*ns = *ns < most_ns ? *ns : most_ns;
			*ns = *ns > begin ? *ns - begin : 0;
		} else if (before != STMLOG_ACCESS_ALONE && *ns > site->most_ns) {
			*ns = site->most_ns;
		}
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

/* libitm runs a transaction that has failed too often alone, by code without data barriers: its record has no access.
 * Returns the next transaction of the same site that has, from `at` on and then from the front; SIZE_MAX: none. */
static size_t like(const struct stream *stream, size_t at)
{
	size_t found = SIZE_MAX;
	for (size_t i = 0, len; i < stream->len; i += len) {
		len = stream_transaction_len(stream, i);
		if (len > 2 && stream->at[i].address == stream->at[at].address && (i > at || found == SIZE_MAX)) {
			found = i;
			if (i > at)
				break;
		}
	}
	return found;
}

static void append(struct stream *stream, const struct stmlog_access_record *at, size_t len)
{
	stream->at = memory_reserved(stream->at, stream->len + len, &stream->cap, sizeof *stream->at);
	memcpy(stream->at + stream->len, at, len * sizeof *at);
	stream->len += len;
}

/* It gets the accesses of another one. */
static void fill_empty(struct stream *stream)
{
	struct stream filled = {.thread_id = stream->thread_id};
	for (size_t i = 0, len; i < stream->len; i += len) {
		len = stream_transaction_len(stream, i);
		size_t other = len == 2 ? like(stream, i) : SIZE_MAX;
		size_t from = other != SIZE_MAX ? other : i;
		append(&filled, &stream->at[from], stream_transaction_len(stream, from));
		filled.at[filled.len - stream_transaction_len(stream, from)].gap_ns = stream->at[i].gap_ns;
	}
	free(stream->at);
	*stream = filled;
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
		if (end > i + 1)
			streams.at[streams.len++] = stream_copy(thread + 1, end - i - 1, (uint32_t)thread->address);
	}
	for (size_t i = 0; i < streams.len; i++) {
		fill_empty(&streams.at[i]);
		fill_unknown(&streams.at[i]);
	}
	count_transactions(&streams);
	clean_all(&streams);
	return streams;
}

void streams_fini(struct streams *streams)
{
	for (size_t i = 0; i < streams->len; i++)
		free(streams->at[i].at);
	free(streams->at);
	*streams = (struct streams){.len = 0};
}

/* ---- copies ---- */

struct streams streams_copy(const struct streams *streams)
{
	struct streams copy = {.at = memory_zeroed(streams->len + 1, sizeof *copy.at), .len = streams->len};
	for (size_t i = 0; i < streams->len; i++)
		copy.at[i] = stream_copy(streams->at[i].at, streams->at[i].len, streams->at[i].thread_id);
	copy.transactions = streams->transactions;
	return copy;
}

/* Short times are whole numbers of 10 ns, since the replay waits for each in a loop: of loops that always have the
 * same length the processor foresees the end. What is left over is added to the next. */
static void shorten(struct stream *stream, double overhead_ns)
{
	const double step_ns = 10, short_ns = 200;
	double rest_ns = 0;
	for (size_t i = 0; i < stream->len; i++) {
		struct stmlog_access_record *record = &stream->at[i];
		double ns = (double)record->gap_ns - (record->kind != STMLOG_ACCESS_BEGIN ? overhead_ns : 0) + rest_ns;
		double whole_ns = ns < 0 ? 0 : ns < short_ns ? floor(ns / step_ns) * step_ns : ns;
		rest_ns = ns - whole_ns;
		record->gap_ns = (float)whole_ns;
	}
}

struct streams streams_without_overhead(const struct streams *streams, double overhead_ns)
{
	struct streams copy = streams_copy(streams);
	for (size_t i = 0; i < copy.len; i++)
		shorten(&copy.at[i], overhead_ns);
	return copy;
}

/* The transactions from `part` of the stream on, and then those before. */
static struct stream stream_turned(const struct stream *stream, double part)
{
	size_t at = 0, from = (size_t)((double)stream->len * part);
	while (at < from)
		at += stream_transaction_len(stream, at);
	struct stream turned = stream_copy(stream->at, stream->len, stream->thread_id);
	memcpy(turned.at, stream->at + at, (stream->len - at) * sizeof *turned.at);
	memcpy(turned.at + (stream->len - at), stream->at, at * sizeof *turned.at);
	return turned;
}

/* All transactions of every `step`-th stream from this one on. */
static struct stream streams_joined(const struct streams *streams, size_t first, size_t step)
{
	struct stream joined = {.thread_id = streams->at[first].thread_id};
	for (size_t i = first; i < streams->len; i += step)
		append(&joined, streams->at[i].at, streams->at[i].len);
	return joined;
}

static struct streams streams_for_fewer(const struct streams *streams, size_t threads)
{
	struct streams fewer = {.at = memory_zeroed(threads + 1, sizeof *fewer.at), .len = threads};
	for (size_t i = 0; i < threads; i++)
		fewer.at[i] = streams_joined(streams, i, threads);
	fewer.transactions = streams->transactions;
	return fewer;
}

struct streams streams_for_threads(const struct streams *streams, size_t threads)
{
	if (threads < streams->len)
		return streams_for_fewer(streams, threads);

	struct streams copy = {.at = memory_zeroed(threads + 1, sizeof *copy.at), .len = threads};
	size_t turns = (threads + streams->len - 1) / streams->len;
	for (size_t i = 0; i < threads; i++)
		copy.at[i] = stream_turned(&streams->at[i % streams->len], (double)(i / streams->len) / (double)turns);
	count_transactions(&copy);
	return copy;
}

/* ---- the replay's file ---- */

static bool write_stream(const struct stream *stream, FILE *file)
{
	struct stmlog_access_record thread = {.address = stream->thread_id, .kind = STMLOG_ACCESS_THREAD};
	return fwrite(&thread, sizeof thread, 1, file) == 1 &&
	       fwrite(stream->at, sizeof *stream->at, stream->len, file) == stream->len;
}

bool streams_write(const struct streams *streams, const char *path)
{
	FILE *file = fopen(path, "we");
	bool is_written = file != NULL;
	for (size_t i = 0; i < streams->len && is_written; i++)
		is_written = write_stream(&streams->at[i], file);
	return file != NULL && fclose(file) == 0 && is_written;
}
