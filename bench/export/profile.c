/* SPDX-License-Identifier: MIT
 * Makes the recording whose export bench/export.sh times: SAMPLES entries, as a large program leaves them. Each entry
 * has a stack of its own, with FRAMES frames. Every second entry has a culprit.
 * usage: profile OUT named|addresses     The recording names the sites; or sites are addresses in this program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "own_module.h"
#include "random.h"
#include "recording_writer.h"

enum { SAMPLES = 10000, FRAMES = 20, SITES = 1000, CALLEES = 4 };

static struct writer writer;
static struct random chance = {1};

static void add_named(void)
{
	char name[64], file[64];
	for (uint32_t i = 0; i < SITES; i++) {
		snprintf(name, sizeof name, "handle_request_of_kind_%u", i / 3);
		snprintf(file, sizeof file, "src/server/part_%u.c", i / 30);
		writer_place(&writer, name, file, 10 + i % 30 * 7);
	}
}

/* Addresses at equal distances, all over the code of this program. */
static void add_addresses(void)
{
	struct stmlog_module_record module = own_module();
	module.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &module);
	uint64_t step = (module.end - module.start) / SITES;
	for (uint32_t i = 0; i < SITES; i++)
		writer_address(&writer, 0, module.start + i * step + 1);
}

/* From the outermost in: each site calls one of a few others, so that stacks share their outer parts. */
static uint32_t add_stack(void)
{
	uint32_t stack[FRAMES], site = 0;
	for (size_t i = FRAMES; i-- > 0;) {
		stack[i] = site;
		site = (site * CALLEES + 1 + random_below(&chance, CALLEES)) % SITES;
	}
	return writer_traceback(&writer, stack, FRAMES, 0);
}

static struct stmlog_entry_record entry_of(size_t i, const uint32_t stacks[SAMPLES])
{
	struct stmlog_entry_record entry = {
		.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_READ,
		.local = stacks[i],
		.remote = i % 2 != 0 ? stacks[random_below(&chance, SAMPLES)] : 0,
		.count = 1 + random_below(&chance, 1000),
	};
	entry.longest_ns = entry.shortest_ns = 200 + random_below(&chance, 20000);
	entry.lost_ns = entry.count * entry.longest_ns;
	return entry;
}

static int by_lost(const void *a, const void *b)
{
	const struct stmlog_entry_record *left = a, *right = b;
	return (left->lost_ns < right->lost_ns) - (left->lost_ns > right->lost_ns);
}

static void add_entries(void)
{
	static struct stmlog_entry_record entries[SAMPLES];
	static uint32_t stacks[SAMPLES];
	uint64_t count = 0, lost_ns = 0;
	for (size_t i = 0; i < SAMPLES; i++)
		stacks[i] = add_stack();
	for (size_t i = 0; i < SAMPLES; i++)
		entries[i] = entry_of(i, stacks);
	qsort(entries, SAMPLES, sizeof *entries, by_lost);
	for (size_t i = 0; i < SAMPLES; i++) {
		writer_entry(&writer, &entries[i]);
		count += entries[i].count;
		lost_ns += entries[i].lost_ns;
	}
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, count, lost_ns);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	struct stmlog_thread_record thread = {.id = 1, .attached_ns = lost_ns, .events = count};
	thread.aborted_ns[STMLOG_WRITE_READ] = lost_ns;
	thread.aborts[STMLOG_WRITE_READ] = count;
	writer_thread(&writer, &thread);
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[2], "named") != 0 && strcmp(argv[2], "addresses") != 0)) {
		fputs("usage: profile OUT named|addresses\n", stderr);
		return 2;
	}
	writer_init(&writer);
	writer_info(&writer, "version=" STMLOG_VERSION);
	writer_info(&writer, "runtime=libitm");
	writer_info(&writer, "unix_ns=1700000000000000000");
	writer_info(&writer, "wall_ns=60000000000");
	if (strcmp(argv[2], "named") == 0)
		add_named();
	else
		add_addresses();
	add_entries();
	writer_save(&writer, argv[1]);
	writer_fini(&writer);
	return 0;
}
