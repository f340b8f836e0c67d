/* SPDX-License-Identifier: MIT
 * Captions of bars and points that the tests of the exporters do not cover. */
#include "exported.h"

#include "export_perfetto_caption.h"
#include "own_module.h"

/* So large that two of its words have the same slot in the cache of objects' names. */
char caption_test_table[4 * 8192] __attribute__((aligned(64)));

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static struct captions *captions;
static struct caption caption;

static void begin(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	captions = captions_create(&recording, symbols);
}

static void end(void)
{
	captions_destroy(&captions);
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

/* NULL: there is none of that key. */
static const struct caption_fact *fact(const char *key)
{
	for (size_t i = 0; i < caption.len; i++)
		if (strcmp(caption.facts[i].key, key) == 0)
			return &caption.facts[i];
	return NULL;
}

static void write_contention(const char *object)
{
	struct stmlog_event_record event = {.thread = 1, .kind = STMLOG_EVENT_CONTENTION};
	event.argument = (uintptr_t)object;
	writer_event(&writer, &event);
}

static void assert_symbol(size_t index, const char *expected)
{
	caption_point(captions, &(struct bar_point){.index = index}, &caption);
	assert_string_equal(fact("symbol")->text, expected);
	assert_true(fact("object")->is_address);
}

TEST(objects_have_the_names_of_variables)
{
	recording_sample(&writer);
	struct stmlog_module_record module = own_module();
	module.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &module);
	write_contention(caption_test_table + 8);
	write_contention(caption_test_table + 8 + 8192);
	write_contention(NULL);
	begin();
	for (int round = 0; round < 2; round++) {
		assert_symbol(0, "caption_test_table[8]");
		assert_symbol(1, "caption_test_table[8200]");
	}
	caption_point(captions, &(struct bar_point){.index = 2}, &caption);
	assert_null(fact("object"));
	assert_null(fact("symbol"));
	end();
}

TEST(a_transaction_without_a_place_is_called_after_its_end)
{
	write_sample(&writer, "transfer", "sweep");
	begin();
	caption_bar(captions, &(struct bar){.index = 8, .closed_by = 6}, &caption);
	assert_string_equal(caption.name, "transfer: aborted because of thread 1, write-read");
	assert_null(fact("function"));
	assert_string_equal(fact("end_function")->text, "transfer");
	caption_bar(captions, &(struct bar){.index = 8, .closed_by = BAR_NONE}, &caption);
	assert_string_equal(caption.name, "transaction: still open");
	end();
}

TEST(the_name_of_a_transaction_says_how_it_ended)
{
	static const struct {
		struct stmlog_event_record end;
		const char *name;
	} cases[] = {
		{{.kind = STMLOG_EVENT_COMMIT}, "transaction: committed"},
		{{.kind = STMLOG_EVENT_ABORT, .contention = STMLOG_WRITE_READ, .other = 7},
			"transaction: aborted because of thread 7, write-read"},
		{{.kind = STMLOG_EVENT_ABORT, .contention = STMLOG_WRITE_WRITE},
			"transaction: aborted because of an unknown transaction, write-write"},
		{{.kind = STMLOG_EVENT_ABORT, .reason = STMLOG_USER_ABORT, .contention = STMLOG_NONE},
			"transaction: aborted, user-abort"},
		{{.kind = STMLOG_EVENT_DETACH}, "transaction: end unknown"},
		{{.kind = STMLOG_EVENT_MISSING}, "transaction: end unknown"},
	};
	const size_t count = sizeof cases / sizeof cases[0];
	recording_sample(&writer);
	writer_event(&writer, &(struct stmlog_event_record){.thread = 1, .kind = STMLOG_EVENT_START});
	for (size_t i = 0; i < count; i++)
		writer_event(&writer, &cases[i].end);
	begin();
	for (size_t i = 0; i < count; i++) {
		caption_bar(captions, &(struct bar){.index = 0, .closed_by = 1 + i}, &caption);
		assert_string_equal(caption.name, cases[i].name);
		assert_string_equal(caption.category, "transaction");
	}
	end();
}

TEST(lanes_without_a_name_have_a_number)
{
	char *named = caption_lane(&(struct bar_lane){7, 7, "a\nb"}),
	     *numbered = caption_lane(&(struct bar_lane){7, 7, ""});
	assert_string_equal(named, "a?b (thread 7)");
	assert_string_equal(numbered, "thread 7");
	free(named);
	free(numbered);
}

/* A file may hold any numbers. */
TEST(events_of_any_numbers_have_a_caption)
{
	recording_sample(&writer);
	for (unsigned kind = 0; kind < 256; kind++)
		writer_event(&writer, &(struct stmlog_event_record){.argument = UINT64_MAX,
					      .place = UINT32_MAX,
					      .thread = 1,
					      .other = UINT32_MAX,
					      .kind = (uint8_t)kind,
					      .reason = 255,
					      .contention = 255,
					      .detail = 255});
	begin();
	for (size_t i = 0; i < recording.event_count; i++) {
		for (int row = 0; row < STMLOG_ROWS; row++) {
			struct bar bar = {.row = (enum stmlog_row)row, .index = i, .closed_by = 255 - i};
			caption_bar(captions, &bar, &caption);
			assert_true(caption.len <= CAPTION_FACTS && caption.name[0] != '\0');
		}
		caption_point(captions, &(struct bar_point){.index = i, .is_culprit = i % 2 == 0}, &caption);
		assert_true(caption.len <= CAPTION_FACTS && caption.category[0] != '\0');
	}
	end();
}
