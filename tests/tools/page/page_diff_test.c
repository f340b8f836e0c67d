/* SPDX-License-Identifier: MIT
 * The data of a comparison's page. */
#include "made_sides.h"

#include "page.h"

/* The recordings of the sides that the page shows: each is the run that was saved last. */
static json_t *data(void)
{
	struct recording sides[2];
	struct page page = {.diff = &diff, .sides = sides};
	char *text = NULL;
	size_t len;
	for (int side = 0; side < 2; side++)
		assert_int_equal(recording_load(&sides[side], temp_dir_path("run")), RECORDING_WHOLE);
	FILE *out = open_memstream(&text, &len);
	struct printer printer = page_printer(out);
	assert_null(page_diff_data(&page, &printer, out));
	fclose(out);
	recording_fini(&sides[DIFF_OLD]);
	recording_fini(&sides[DIFF_NEW]);
	char *json = strchr(text, '{'), *end = strstr(text, "</script>\n");
	assert_true(json != NULL && end != NULL && end[strlen("</script>\n")] == '\0');
	*end = '\0';
	assert_null(strchr(json, '<'));
	json_t *value = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(value);
	free(text);
	return value;
}

TEST(a_page_has_the_comparison_its_verdict_and_a_report_of_each_side)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {150000, 0}, 0, {0}, 0}};
	int runs, regressions;
	const char *verdict, *change;
	compare(&usual, sides);
	json_auto_t *page = data();
	assert_int_equal(json_unpack(page, "{s:{s:{s:i}, s:i, s:{s:{s:s}}}, s:s}", "diff", "old", "runs", &runs,
				 "regressions", &regressions, "total", "text", "change", &change, "verdict", &verdict),
		0);
	assert_true(runs == RUNS && regressions == 2);
	assert_string_equal(change, "+50.0 %");
	assert_has(verdict, "\nregression: total: 104 ns -> 157 ns, +50.0 %, p ");
	for (int side = 0; side < 2; side++) {
		json_t *report = json_object_get(page, side == DIFF_OLD ? "old" : "new");
		assert_int_equal(json_array_size(json_object_get(report, "entries")), 0);
		assert_int_equal(json_array_size(json_object_get(report, "rows")), 1);
	}
}

/* Of three runs the one in the middle. */
TEST(the_typical_run_has_the_median_throughput)
{
	static const uint64_t commits[] = {3000, 1000, 2000};
	int old, new;
	diff_begin(&usual, 3, 1);
	for (size_t i = 0; i < 3; i++) {
		made_run_save(&(struct made_run){commits[i], {100, 0}, 0, {0}, 0}, temp_dir_path("run"));
		load_saved(DIFF_OLD);
	}
	load_saved(DIFF_NEW);
	assert_true(diff_compare(&diff));
	json_auto_t *page = data();
	assert_int_equal(json_unpack(page, "{s:[i, i]}", "typical", &old, &new), 0);
	assert_true(old == 2 && new == 0);
}

TEST(names_that_would_end_the_element_are_escaped)
{
	OWNED(writer_fini) struct writer writer;
	diff_begin(&usual, 1, 1);
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = 1000});
	add_loss(&writer, STMLOG_SELF_ABORT, "</script><img src=x>", 10, 1, 5000);
	writer_save(&writer, temp_dir_path("run"));
	load_saved(DIFF_OLD);
	load_saved(DIFF_NEW);
	assert_true(diff_compare(&diff));
	json_auto_t *page = data();
	json_t *key = json_array_get(json_object_get(json_object_get(page, "diff"), "keys"), 0);
	const char *function;
	assert_int_equal(json_unpack(key, "{s:{s:[{s:s}]}}", "local", "frames", "function", &function), 0);
	assert_string_equal(function, "</script><img src=x>");
}

GROUP_WITH(diff_fixture);
