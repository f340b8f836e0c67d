/* SPDX-License-Identifier: MIT
 * Calling contexts: each loss and commit once, below what has called it. */
#include "loaded.h"

#include <math.h>

#include <stmlog/read.h>

#include "contexts.h"
#include "random.h"
#include "recorded_account.h"
#include "recording_sample.h"
#include "stress.h"

static struct writer writer;

/* The contexts of the recording in the writer. */
struct made {
	struct recording recording;
	struct symbols *symbols;
	struct contexts contexts;
};

static void make(struct made *made)
{
	if (load_written(&made->recording, &writer) != RECORDING_WHOLE)
		fail_msg("%s", made->recording.fault);
	made->symbols = symbols_create(&made->recording);
	made->contexts = contexts_init(&made->recording, made->symbols);
}

static void drop(struct made *made)
{
	contexts_fini(&made->contexts);
	symbols_destroy(&made->symbols);
	recording_fini(&made->recording);
}

static uint32_t place(const char *function)
{
	return writer_place(&writer, function, "bank.c", 1);
}

/* A line for each, "0 main:1 5 10/20/30/40": parent, frame, calls; aborted, paused, waiting, committed. */
static char *text_of(const struct contexts *contexts)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	for (size_t i = 0; i < contexts->len; i++) {
		const struct context *context = &contexts->at[i];
		if (context->frame == NULL)
			fputs(contexts_fixed_name(contexts, i), out);
		else
			fprintf(out, "%zu %s:%u", context->parent, context->frame->function, context->frame->line);
		fprintf(out, " %lu %lu/%lu/%lu/%lu\n", (unsigned long)context->calls,
			(unsigned long)context->aborted_ns, (unsigned long)context->paused_ns,
			(unsigned long)context->waiting_ns, (unsigned long)context->committed_ns);
	}
	fclose(out);
	return text;
}

static void expect_contexts(const char *expected)
{
	struct made made;
	make(&made);
	char *text = text_of(&made.contexts);
	assert_string_equal(text, expected);
	free(text);
	drop(&made);
}

static struct context sum_of(const struct contexts *contexts)
{
	struct context sum = {0};
	for (size_t i = 0; i < contexts->len; i++) {
		sum.calls += contexts->at[i].calls;
		sum.aborted_ns += contexts->at[i].aborted_ns;
		sum.paused_ns += contexts->at[i].paused_ns;
		sum.waiting_ns += contexts->at[i].waiting_ns;
		sum.committed_ns += contexts->at[i].committed_ns;
	}
	return sum;
}

/* Innermost first, as recordings have it. */
static struct stmlog_path_record path_of(const uint32_t *sites, uint32_t len)
{
	return (struct stmlog_path_record){
		.traceback = len > 0 ? writer_traceback(&writer, sites, len, 0) : 0,
		.commits = 1,
		.aborts = 2,
		.pauses = 3,
		.waits = 4,
		.committed_ns = 1000,
		.aborted_ns = 200,
		.paused_ns = 30,
		.waiting_ns = 4,
	};
}

static void add_path(const uint32_t *sites, uint32_t len)
{
	struct stmlog_path_record path = path_of(sites, len);
	writer_path(&writer, &path);
}

#define SITES(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

TEST(a_recording_of_nothing_has_a_root_and_an_overflow)
{
	writer_init(&writer);
	expect_contexts("(root) 0 0/0/0/0\n(overflow) 0 0/0/0/0\n");
}

TEST(paths_become_contexts_from_the_outside_in)
{
	recording_sample(&writer);
	uint32_t outer = place("main"), inner = place("transfer"), other = place("audit");
	add_path(SITES(inner, outer));
	add_path(SITES(other, outer));
	add_path(SITES(outer));
	expect_contexts("(root) 0 0/0/0/0\n0 main:1 10 200/30/4/1000\n1 transfer:1 10 200/30/4/1000\n"
			"1 audit:1 10 200/30/4/1000\n(overflow) 0 0/0/0/0\n");
}

TEST(what_has_no_traceback_is_at_the_root)
{
	recording_sample(&writer);
	add_path(NULL, 0);
	struct stmlog_path_record no_frames = path_of(NULL, 0);
	no_frames.traceback = 1;
	writer_path(&writer, &no_frames);
	expect_contexts("(root) 20 400/60/8/2000\n(overflow) 0 0/0/0/0\n");
}

TEST(what_found_no_room_is_in_the_overflow)
{
	recording_sample(&writer);
	add_path(SITES(place("main")));
	struct stmlog_path_record beyond = path_of(NULL, 0);
	beyond.flags = STMLOG_PATH_OVERFLOW;
	writer_path(&writer, &beyond);
	expect_contexts("(root) 0 0/0/0/0\n0 main:1 10 200/30/4/1000\n(overflow) 10 200/30/4/1000\n");
}

TEST(repetition_is_folded)
{
	recording_sample(&writer);
	uint32_t a = place("a"), b = place("b"), leaf = place("leaf");
	add_path(SITES(leaf, b, a, b, a, b, a));
	add_path(SITES(b, a));
	add_path(SITES(leaf, leaf, b, a));
	expect_contexts("(root) 0 0/0/0/0\n0 a:1 0 0/0/0/0\n1 b:1 10 200/30/4/1000\n2 leaf:1 20 400/60/8/2000\n"
			"2 a:1 0 0/0/0/0\n(overflow) 0 0/0/0/0\n");
}

/* The cycles of a context, "3,1". */
static const char *cycles_of(const struct contexts *contexts, size_t context)
{
	static char text[64];
	text[0] = '\0';
	for (size_t i = contexts->at[context].first_cycle; i != CONTEXTS_NONE; i = contexts->cycles[i].next)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu", text[0] != '\0' ? "," : "",
			contexts->cycles[i].len);
	return text;
}

/* The contexts are the root, a, ab, aba, and the overflow. */
TEST(folded_recursion_is_a_cycle_of_the_context_to_which_it_led_back)
{
	struct made made;
	recording_sample(&writer);
	uint32_t a = place("a"), b = place("b");
	add_path(SITES(b, b, a, b, a));
	make(&made);
	assert_int_equal(made.contexts.len, 5);
	assert_string_equal(cycles_of(&made.contexts, 0), "");
	assert_string_equal(cycles_of(&made.contexts, 1), "");
	assert_string_equal(cycles_of(&made.contexts, 2), "2,1");
	assert_string_equal(cycles_of(&made.contexts, 3), "");
	assert_string_equal(cycles_of(&made.contexts, 4), "");
	drop(&made);
}

/* A second record of the same name and line, and records in which one of the two differs. */
TEST(sites_of_one_name_and_line_are_one_frame)
{
	recording_sample(&writer);
	add_path(SITES(writer_place(&writer, "f", "a.c", 1)));
	add_path(SITES(writer_site(&writer, &(struct stmlog_site_record){.kind = STMLOG_SITE_PLACE,
						    .module = STMLOG_NO_MODULE,
						    .position = 99,
						    .function = writer_string(&writer, "f"),
						    .file = writer_string(&writer, "a.c"),
						    .line = 1})));
	add_path(SITES(writer_place(&writer, "f", "a.c", 2)));
	add_path(SITES(writer_place(&writer, "f", "b.c", 1)));
	add_path(SITES(writer_place(&writer, "g", "a.c", 1)));
	expect_contexts("(root) 0 0/0/0/0\n0 f:1 20 400/60/8/2000\n0 f:2 10 200/30/4/1000\n0 f:1 10 200/30/4/1000\n"
			"0 g:1 10 200/30/4/1000\n(overflow) 0 0/0/0/0\n");
}

/* Too many frames in too many tracebacks are not all walked. */
TEST(of_a_very_long_traceback_the_innermost_frames_are_told)
{
	enum { LEN = 2000 };
	uint32_t sites[LEN];
	struct made made;
	recording_sample(&writer);
	for (uint32_t i = 0; i < LEN; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%u", i);
		sites[i] = place(name);
	}
	add_path(sites, LEN);
	make(&made);
	assert_int_equal(made.contexts.len, 512 + 2);
	const struct context *innermost = &made.contexts.at[512];
	assert_string_equal(innermost->frame->function, "f0");
	assert_int_equal(innermost->aborted_ns, 200);
	assert_string_equal(made.contexts.at[1].frame->function, "f511");
	drop(&made);
}

/* ---- sums ---- */

static uint64_t any_time(struct random *random)
{
	return random_next(random) >> (10 + random_below(random, 50));
}

/* Random paths of few sites, some without a traceback, some in the overflow. */
static struct context write_random_paths(struct random *random, size_t count)
{
	struct context sum = {0};
	for (size_t i = 0; i < count; i++) {
		uint32_t sites[20], len = random_below(random, 20);
		for (uint32_t k = 0; k < len; k++)
			sites[k] = place((const char *[]){"a", "b", "c", "d"}[random_below(random, 4)]);
		struct stmlog_path_record path = path_of(sites, len);
		path.flags = random_below(random, 8) == 0 ? STMLOG_PATH_OVERFLOW : 0;
		sum.calls += 10;
		sum.aborted_ns += path.aborted_ns = any_time(random);
		sum.paused_ns += path.paused_ns = any_time(random);
		sum.waiting_ns += path.waiting_ns = any_time(random);
		sum.committed_ns += path.committed_ns = any_time(random);
		path.estimated_aborted_ns = 1e9;
		writer_path(&writer, &path);
	}
	return sum;
}

TEST(measured_times_add_up_to_those_of_the_recording)
{
	struct random random = {3};
	for (uint32_t i = 0; i < stress_times(200); i++) {
		struct made made;
		recording_sample(&writer);
		struct context expected = write_random_paths(&random, random_below(&random, 50) + 1);
		make(&made);
		struct context sum = sum_of(&made.contexts);
		assert_memory_equal(&sum, &expected, sizeof sum);
		drop(&made);
	}
}

/* Slightly more frames than a profile can have nodes; each path has a different outermost frame. */
TEST(what_finds_no_room_here_is_in_the_overflow)
{
	enum { PATHS = 16500, DEPTH = 64 };
	uint32_t sites[DEPTH];
	struct made made;
	recording_sample(&writer);
	for (uint32_t i = 0; i < DEPTH - 1; i++)
		sites[i] = writer_place(&writer, "f", "a.c", i);
	for (uint32_t i = 0; i < PATHS; i++) {
		sites[DEPTH - 1] = writer_place(&writer, "g", "a.c", i);
		add_path(sites, DEPTH);
	}
	make(&made);
	struct context sum = sum_of(&made.contexts), overflow = made.contexts.at[made.contexts.len - 1];
	assert_int_equal(made.contexts.len, (1 << 20) + 2);
	assert_int_equal(sum.calls, 10 * PATHS);
	assert_int_equal(sum.committed_ns, 1000 * PATHS);
	assert_int_equal(overflow.calls, 10 * (PATHS - (1 << 20) / DEPTH));
	drop(&made);
}

/* A parent comes before its children, and is the last context at its depth. */
TEST(a_parent_comes_before_its_children)
{
	struct random random = {4};
	struct made made;
	recording_sample(&writer);
	write_random_paths(&random, 200);
	make(&made);
	size_t last = made.contexts.len - 1;
	for (size_t i = 0; i <= last; i++) {
		const struct context *context = &made.contexts.at[i];
		if (i == 0 || i == last) {
			assert_int_equal(context->parent, CONTEXTS_NONE);
			assert_null(context->frame);
			assert_non_null(contexts_fixed_name(&made.contexts, i));
			continue;
		}
		assert_null(contexts_fixed_name(&made.contexts, i));
		size_t ancestor = i - 1;
		while (ancestor != context->parent && ancestor != CONTEXTS_NONE)
			ancestor = made.contexts.at[ancestor].parent;
		assert_int_equal(ancestor, context->parent);
	}
	assert_true(last > 100);
	drop(&made);
}

/* Each estimate has a fraction of a half or a third, none of which is lost. */
TEST(rounded_estimates_add_up)
{
	struct made made;
	recording_sample(&writer);
	writer_info(&writer, "sampled=1");
	uint32_t sites[3] = {place("a"), place("b"), place("c")};
	for (uint32_t i = 0; i < 900; i++) {
		struct stmlog_path_record path = path_of(&sites[i % 3], 1);
		path.estimated_aborted_ns = 10.5;
		path.estimated_paused_ns = 1.0 / 3;
		path.estimated_waiting_ns = 7;
		path.estimated_committed_ns = 1e6 + 2.0 / 3;
		writer_path(&writer, &path);
	}
	make(&made);
	struct context sum = sum_of(&made.contexts);
	assert_int_equal(sum.calls, 9000);
	assert_int_equal(sum.aborted_ns, 9450);
	assert_int_equal(sum.paused_ns, 300);
	assert_int_equal(sum.waiting_ns, 6300);
	assert_int_equal(sum.committed_ns, 900000600);
	drop(&made);
}

TEST(estimates_that_are_no_numbers_are_nothing_or_the_max)
{
	recording_sample(&writer);
	writer_info(&writer, "sampled=1");
	struct stmlog_path_record path = path_of(SITES(place("f")));
	path.estimated_aborted_ns = NAN;
	path.estimated_paused_ns = -INFINITY;
	path.estimated_waiting_ns = INFINITY;
	path.estimated_committed_ns = -3;
	writer_path(&writer, &path);
	expect_contexts("(root) 0 0/0/0/0\n0 f:1 10 0/0/18446744073709551615/0\n(overflow) 0 0/0/0/0\n");
}

/* ---- recordings without paths: the losses ---- */

static uint64_t lost_of(const struct context *sum)
{
	return sum->aborted_ns + sum->paused_ns + sum->waiting_ns;
}

TEST(without_paths_losses_stand_where_they_were_and_commits_at_the_root)
{
	struct made made;
	recording_sample(&writer);
	make(&made);
	struct context sum = sum_of(&made.contexts);
	assert_int_equal(lost_of(&sum), recording_total(&made.recording).lost_ns);
	assert_int_equal(sum.calls, recording_total(&made.recording).count + 60000 + 1234);
	struct recorded_account account = account_total(&made.recording);
	assert_int_equal(sum.aborted_ns, account.aborted_ns);
	assert_int_equal(sum.paused_ns, account.paused_ns);
	assert_int_equal(sum.committed_ns, account.committed_ns);
	assert_int_equal(made.contexts.at[0].committed_ns, account.committed_ns);
	const struct context *overflow = &made.contexts.at[made.contexts.len - 1];
	assert_int_equal(overflow->aborted_ns, 100000);
	assert_int_equal(overflow->calls, 6);
	drop(&made);
}

TEST(without_paths_of_some_transactions_estimates_are_told)
{
	struct made made;
	recording_sample_weighed(&writer);
	make(&made);
	struct context sum = sum_of(&made.contexts);
	assert_int_equal(lost_of(&sum), (uint64_t)recording_total(&made.recording).estimated_ns);
	assert_int_equal(sum.calls, recording_total(&made.recording).count + 60000 + 1234);
	assert_int_equal(sum.committed_ns, made.recording.row_ns[STMLOG_ACCOUNT_COMMITTED]);
	drop(&made);
}
