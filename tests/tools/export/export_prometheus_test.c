/* SPDX-License-Identifier: MIT
 * Text for Prometheus: each line follows the grammar, and each series comes once, for any names. */
#include "exported.h"

#include <stmlog/read.h>

#include "text_has.h"

static struct writer writer;

static char *exported_now(void)
{
	return exported_text(&writer, "prometheus");
}

/* Skips a name of a metric or label; there is one. */
static const char *after_name(const char *at)
{
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	assert_true(len > 0);
	return at + len;
}

static const char *after(const char *at, const char *expected)
{
	if (strncmp(at, expected, strlen(expected)) != 0)
		fail_msg("not '%s' but: %s", expected, at);
	return at + strlen(expected);
}

/* Within quotes: any byte but a bare quote, backslash or newline. */
static const char *after_value(const char *at)
{
	for (at = after(at, "\""); *at != '"'; at++) {
		assert_true(*at != '\0' && *at != '\n');
		if (*at == '\\') {
			at++;
			assert_true(*at == '\\' || *at == '"' || *at == 'n');
		}
	}
	return at + 1;
}

/* The end of the series' labels. */
static const char *after_series(const char *line)
{
	const char *at = after(after_name(line), "{program=");
	at = after_value(at);
	while (*at == ',')
		at = after_value(after(after_name(at + 1), "="));
	return after(at, "}");
}

static size_t count_of(const char *text, const char *part, size_t part_len)
{
	size_t count = 0;
	const char *end = text + strlen(text);
	for (const char *at = text; (at = memmem(at, (size_t)(end - at), part, part_len)) != NULL; at++)
		count++;
	return count;
}

static size_t count_text(const char *text, const char *part)
{
	return count_of(text, part, strlen(part));
}

/* Each line of it. Returns how many series there are. */
static size_t assert_is_exposition(const char *text)
{
	size_t series = 0;
	const char *next;
	for (const char *line = text; *line != '\0'; line = next) {
		assert_non_null(strchr(line, '\n'));
		next = strchr(line, '\n') + 1;
		if (strncmp(line, "# HELP ", 7) == 0 || strncmp(line, "# TYPE ", 7) == 0)
			continue;
		const char *end = after_series(line);
		assert_int_equal(count_of(text, line, (size_t)(end - line)), 1);
		end = after(end, " ");
		end += strspn(end, "0123456789.");
		after(end, "\n");
		series++;
	}
	return series;
}

TEST(the_sample_reads_as_its_report)
{
	recording_sample(&writer);
	char *text = exported_now();
	assert_is_exposition(text);
	assert_has(text, "# TYPE stmlog_measured_aborts_total counter\n");
	assert_has(text, "stmlog_measured_aborts_total{program=\"bank\",reason=\"self-abort\",contention=\"write-"
			 "write\"} 2000\n");
	assert_has(text, "stmlog_estimated_lost_seconds_total{program=\"bank\",reason=\"pause\",contention=\"write-"
			 "read\"} 0.000250000\n");
	assert_has(text, "stmlog_thread_estimated_seconds_total{program=\"bank\",state=\"committed\"} 1.700000000\n");
	assert_has(text, "stmlog_thread_estimated_seconds_total{program=\"bank\",state=\"descheduled\"} 0.000000000\n");
	assert_has(text, "stmlog_thread_estimated_low_seconds{program=\"bank\",state=\"committed\"} 1.700000000\n");
	assert_has(text, "stmlog_thread_estimated_high_seconds{program=\"bank\",state=\"committed\"} 1.700000000\n");
	assert_has(text, "stmlog_commits_total{program=\"bank\"} 61234\n");
	assert_has(text, "stmlog_thread_estimated_seconds_total{program=\"bank\",state=\"blocked\"} 0.000000000\n");
	assert_has(text, "stmlog_measured_blocked_total{program=\"bank\"} 0\n");
	assert_has(text, "stmlog_aborts_counted{program=\"bank\"} ");
	assert_has(text,
		"stmlog_site_estimated_lost_seconds_total{program=\"bank\",site=\"transfer bank.c:61\"} 0.004200000\n");
	assert_has(text, "stmlog_site_measured_losses_total{program=\"bank\",site=\"(evicted)\"} 6\n");
	assert_has(text, "# TYPE stmlog_measured_transaction_attempts histogram\n");
	free(text);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);
	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

/* The name in front of the type ends in its unit and kind. */
static void assert_is_named_by_the_rules(const char *name, const char *type)
{
	bool is_time = strstr(name, "_seconds") != NULL;
	assert_int_equal(ends_with(name, "_total"), strcmp(type, "counter") == 0);
	assert_true(!is_time || ends_with(name, "_seconds") || ends_with(name, "_seconds_total"));
	assert_true(strstr(name, "estimated") == NULL || is_time);
	assert_true(strstr(name, "lost") == NULL || is_time);
	assert_true(strstr(name, "measured") == NULL || strstr(name, "estimated") == NULL);
}

TEST(names_have_their_units_and_kinds)
{
	size_t families = 0;
	recording_sample_hardware(&writer);
	char *text = exported_now();
	for (const char *at = strstr(text, "# TYPE "); at != NULL; at = strstr(at + 1, "# TYPE ")) {
		char name[64], type[16], help[80];
		assert_int_equal(sscanf(at, "# TYPE %63[a-z_] %15[a-z]\n", name, type), 2);
		assert_is_named_by_the_rules(name, type);
		snprintf(help, sizeof help, "# HELP %s ", name);
		assert_int_equal(count_text(text, help), 1);
		families++;
	}
	assert_true(families >= 27);
	free(text);
}

/* Of these losses all are measured; 15 times as many commits are not. */
TEST(measured_and_unmeasured_are_never_in_one_metric)
{
	recording_sample_weighed(&writer);
	char *text = exported_now();
	assert_has(text, "\nstmlog_commits_total{program=\"bank\"} 979744\n");
	assert_has(text, "\nstmlog_measured_commits_total{program=\"bank\"} 61234\n");
	assert_has(text, "\nstmlog_unmeasured_aborts_total{program=\"bank\"} 0\n");
	assert_has(text, "\nstmlog_measured_aborts_total{program=\"bank\",reason=\"self-abort\",contention=\"write-"
			 "write\"} 2000\n");
	assert_has(text,
		"\nstmlog_estimated_lost_seconds_total{program=\"bank\",reason=\"self-abort\",contention=\"write-"
		"write\"} 0.064000000\n");
	free(text);
}

TEST(hardware_transactions_have_series_where_there_were_any)
{
	recording_sample(&writer);
	char *text = exported_now();
	assert_has(text, "stmlog_run_info{program=\"bank\",runtime=\"libitm\",version=\"0.1.0\",method=\"\"} 1\n");
	assert_null(strstr(text, "stmlog_hardware"));
	assert_null(strstr(text, "stmlog_processors"));
	free(text);
	recording_sample_hardware(&writer);
	text = exported_now();
	assert_is_exposition(text);
	assert_has(text, ",method=\"htm\"} 1\n");
	assert_has(text, "stmlog_processors{program=\"bank\"} 2\n");
	assert_has(text, "stmlog_hardware_attempts_total{program=\"bank\"} 70000\n");
	assert_has(text, "stmlog_hardware_aborts_total{program=\"bank\",cause=\"HTM_CONFLICT\"} 1500\n");
	assert_has(text, "stmlog_hardware_aborts_total{program=\"bank\",cause=\"HTM_EXPLICIT\"} 0\n");
	assert_has(text, "stmlog_hardware_fallbacks_total{program=\"bank\"} 612\n");
	free(text);
}

TEST(there_are_the_same_causes_when_nothing_happened)
{
	recording_sample(&writer);
	char *text = exported_now();
	size_t some = count_text(text, "\nstmlog_measured_aborts_total{") +
		      count_text(text, "\nstmlog_measured_pauses_and_waits_total{");
	free(text);
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	text = exported_now();
	assert_is_exposition(text);
	assert_int_equal(count_text(text, "\nstmlog_measured_aborts_total{") +
				 count_text(text, "\nstmlog_measured_pauses_and_waits_total{"),
		some);
	assert_int_equal(some, STMLOG_REASONS * STMLOG_CONTENTIONS);
	free(text);
}

static void add_loss(uint32_t site, uint64_t lost_ns)
{
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1, .lost_ns = lost_ns});
	writer_transaction(&writer, &(struct stmlog_transaction_record){.site = site,
					    .commits = 2,
					    .attempts = 3,
					    .lost_ns = lost_ns,
					    .by_attempts = {[1] = 1, [2] = 1},
					    .by_lost_ns = {[0] = 1, [STMLOG_LOST_BUCKETS - 1] = 1}});
}

TEST(names_of_any_bytes_are_labels)
{
	static const char *const names[] = {"a\"b", "new\nline", "back\\", "\x01\x1b\x7f", "\xff\xfe", "\xc3(", ""};
	writer_init(&writer);
	writer_info(&writer, "program=/bin/\"x\\\n\xff");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		add_loss(writer_place(&writer, names[i], names[i], 7), 100 - i);
	writer_total(&writer, 77, 88, 1, 5);
	writer_total(&writer, 78, 89, 1, 5);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_is_exposition(text);
	assert_has(text, "site=\"a\\\"b a\\\"b:7\"");
	assert_has(text, "site=\"new?line new?line:7\"");
	assert_has(text, "{program=\"\\\"x\\\\?\xef\xbf\xbd\",reason=\"?\",contention=\"?\"} 2\n");
	free(text);
}

/* As the report names them: without the directory. */
TEST(places_that_read_the_same_are_one_series)
{
	writer_init(&writer);
	add_loss(writer_place(&writer, "f", "one/a.c", 7), 1000000001);
	add_loss(writer_place(&writer, "f", "other/a.c", 7), 2000000002);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_is_exposition(text);
	assert_has(text, "stmlog_site_estimated_lost_seconds_total{program=\"\",site=\"f a.c:7\"} 3.000000003\n");
	assert_has(text, "stmlog_measured_transaction_lost_seconds_sum{program=\"\",site=\"f a.c:7\"} 3.000000003\n");
	assert_has(text, "stmlog_measured_transaction_attempts_count{program=\"\",site=\"f a.c:7\"} 4\n");
	free(text);
}

TEST(sites_beyond_the_costliest_are_one)
{
	for (uint32_t sites = 20; sites <= 22; sites++) {
		writer_init(&writer);
		for (uint32_t i = 0; i < sites; i++)
			add_loss(writer_place(&writer, "f", "a.c", 1 + i), 100 - i);
		writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
		char *text = exported_now();
		assert_is_exposition(text);
		size_t expected = sites > 20 ? 21 : 20;
		assert_int_equal(count_text(text, "\nstmlog_site_measured_losses_total{"), expected);
		assert_int_equal(count_text(text, "\nstmlog_measured_transaction_attempts_sum{"), expected);
		if (sites == 22)
			assert_has(text, "stmlog_site_measured_losses_total{program=\"\",site=\"(others)\"} 2\n");
		free(text);
	}
}

/* A loss of f() at a line to g() at another one, of `file`. */
static void add_loss_to(uint32_t line, uint32_t other, const char *file, uint64_t lost_ns)
{
	uint32_t site = writer_place(&writer, "f", "a.c", line), culprit = writer_place(&writer, "g", file, other);
	writer_entry(&writer, &(struct stmlog_entry_record){.local = writer_traceback(&writer, &site, 1, 0),
				      .remote = writer_traceback(&writer, &culprit, 1, 0),
				      .count = 2,
				      .lost_ns = lost_ns});
}

TEST(pairs_have_both_places)
{
	writer_init(&writer);
	add_loss_to(1, 7, "b/a.c", 1000000001);
	add_loss_to(1, 7, "c/a.c", 2000000002);
	add_loss_to(7, 1, "b/a.c", 5);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = exported_now();
	assert_is_exposition(text);
	assert_has(text, "stmlog_pair_measured_losses_total{program=\"\",site=\"f a.c:1\",culprit=\"g a.c:7\"} 4\n");
	assert_has(text, "stmlog_pair_estimated_lost_seconds_total{program=\"\",site=\"f a.c:1\",culprit=\"g a.c:7\"} "
			 "3.000000003\n");
	assert_has(text, "{program=\"\",site=\"f a.c:7\",culprit=\"g a.c:1\"} 0.000000005\n");
	free(text);
}

TEST(pairs_beyond_the_costliest_are_one)
{
	for (uint32_t pairs = 20; pairs <= 22; pairs++) {
		writer_init(&writer);
		for (uint32_t i = 0; i < pairs; i++)
			add_loss_to(1, 1 + i, "a.c", 100 - i);
		writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
		char *text = exported_now();
		assert_is_exposition(text);
		assert_int_equal(count_text(text, "\nstmlog_pair_measured_losses_total{"), pairs > 20 ? 21 : 20);
		if (pairs == 22)
			assert_has(text, "stmlog_pair_measured_losses_total{program=\"\",site=\"(others)\",culprit=\"("
					 "others)\"} 4\n");
		free(text);
	}
}

TEST(what_was_not_recorded_is_there)
{
	recording_sample(&writer);
	writer_info(&writer, "tracebacks_unavailable=17");
	char *text = exported_now();
	assert_is_exposition(text);
	assert_has(text, "stmlog_not_recorded_total{program=\"bank\",kind=\"tracebacks_unavailable\"} 17\n");
	assert_has(text, "stmlog_not_recorded_total{program=\"bank\",kind=\"calls_lost\"} 0\n");
	free(text);
}

TEST(histograms_count_what_is_not_above_each_bound)
{
	struct stmlog_transaction_record record = {
		.site = STMLOG_NO_SITE,
		.commits = 31,
		.attempts = 1000,
		.lost_ns = 5000,
		/* around the bounds, and beyond the last one */
		.by_attempts = {[1] = 1, [7] = 2, [8] = 4, [11] = 8, [12] = 16, [STMLOG_ATTEMPT_BUCKETS - 1] = 32},
		/* 0, then 1,023 ns, then above */
		.by_lost_ns = {[0] = 1, [35] = 2, [36] = 4},
	};
	recording_sample(&writer);
	writer_transaction(&writer, &record);
	char *text = exported_now();
	assert_is_exposition(text);
#define ATTEMPTS "stmlog_measured_transaction_attempts_bucket{program=\"bank\",site=\"unknown\",le="
#define LOST "stmlog_measured_transaction_lost_seconds_bucket{program=\"bank\",site=\"unknown\",le="
	static const char *const lines[] = {ATTEMPTS "\"1\"} 1\n", ATTEMPTS "\"6\"} 1\n", ATTEMPTS "\"7\"} 3\n",
		ATTEMPTS "\"15\"} 15\n", ATTEMPTS "\"31\"} 31\n", ATTEMPTS "\"65535\"} 31\n", ATTEMPTS "\"+Inf\"} 63\n",
		"_attempts_sum{program=\"bank\",site=\"unknown\"} 1000\n",
		"_attempts_count{program=\"bank\",site=\"unknown\"} 63\n", LOST "\"0.000000000\"} 1\n",
		LOST "\"0.000001023\"} 3\n", LOST "\"0.000002047\"} 7\n", LOST "\"+Inf\"} 7\n",
		"_seconds_sum{program=\"bank\",site=\"unknown\"} 0.000005000\n"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		assert_has(text, lines[i]);
	free(text);
}
