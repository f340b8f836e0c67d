/* SPDX-License-Identifier: MIT
 * The labels of data: which bytes have which, what losses they are given, and what finds no room. */
#include "fixture.h"

#include "labels.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/format.h>
#include <stmlog/label.h>

#include "child.h"
#include "mem.h"
#include "names.h"
#include "random.h"

/* No memory that any test has: labels read none. */
#define BYTES ((uintptr_t)0x100000)

static void label(uintptr_t at, size_t size, const char *text)
{
	stmlog_label((const void *)(BYTES + at), size, text);
}

static void lose_at(uintptr_t at, uintptr_t other)
{
	const struct stmlog_loss loss = {.object = BYTES + at, .other_object = other};
	labels_add(&loss, 5, 1);
}

static const char *text_at(uintptr_t at)
{
	return labels_text(BYTES + at);
}

/* Copies the section. Returns the record of the label (size 0), or of the piece that begins there; size and count 0 and
 * an empty text if it is not in the section. */
static struct stmlog_label_record recorded(const char *text, uintptr_t at)
{
	OWNED(buffer_fini) struct buffer section = {.bytes = NULL};
	struct stmlog_label_record record;
	labels_copy(&section);
	for (size_t i = 0; i + sizeof record <= section.len; i += sizeof record) {
		memcpy(&record, section.bytes + i, sizeof record);
		if (strcmp(record.text, text) == 0 && record.address == at)
			return record;
	}
	return (struct stmlog_label_record){.text = ""};
}

static uint64_t losses(const char *text)
{
	return recorded(text, 0).count;
}

/* All bytes are those of one piece without a label, in which a loss has been since. */
static void clean(void)
{
	stmlog_label((const void *)1, SIZE_MAX, "clean");
	stmlog_label((const void *)1, SIZE_MAX, NULL);
	lose_at(0, 0);
	labels_forget_losses();
}

static void clean_and_see_leaks(void)
{
	clean();
	fixture_tear_down();
}

static const struct test_fixture labels = {fixture_set_up, clean_and_see_leaks};

/* The first test: the table is kept once it is there. */
TEST(without_memory_a_label_is_lost_and_the_next_one_is_kept)
{
	assert_false(labels_are_there());
	label(0, 0, "removed");
	assert_false(labels_are_there());
	mem_fail_at(1);
	errno = 77;
	label(0, 8, "account");
	assert_int_equal(errno, 77);
	assert_false(labels_are_there());
	assert_null(text_at(0));
	assert_int_equal(labels_lost(), 1);
	label(0, 8, "account");
	assert_string_equal(text_at(0), "account");
	assert_int_equal(labels_lost(), 1);
	assert_int_equal(errno, 77);
	clean();
}

TEST_WITH(labels, a_label_covers_its_bytes_and_no_others)
{
	label(8, 1, "one");
	label(9, 8, "eight");
	assert_null(text_at(7));
	assert_string_equal(text_at(8), "one");
	assert_string_equal(text_at(9), "eight");
	assert_string_equal(text_at(16), "eight");
	assert_null(text_at(17));
	assert_null(labels_text(0));
	stmlog_label(NULL, 8, "nothing");
	assert_null(labels_text(1));
}

TEST_WITH(labels, a_label_may_reach_to_the_last_byte)
{
	label(0, SIZE_MAX, "all");
	assert_string_equal(text_at(0), "all");
	assert_string_equal(labels_text(UINTPTR_MAX - 1), "all");
}

TEST_WITH(labels, a_part_with_another_label_leaves_the_rest_its_own)
{
	label(0, 64, "table");
	label(16, 16, "row 1");
	assert_string_equal(text_at(15), "table");
	assert_string_equal(text_at(16), "row 1");
	assert_string_equal(text_at(31), "row 1");
	assert_string_equal(text_at(32), "table");
	label(56, 16, "behind");
	assert_string_equal(text_at(55), "table");
	assert_string_equal(text_at(56), "behind");
	label(0, 8, "before");
	assert_string_equal(text_at(7), "before");
	assert_string_equal(text_at(8), "table");
	label(0, 72, "anew");
	for (uintptr_t at = 0; at < 72; at++)
		assert_string_equal(text_at(at), "anew");
}

TEST_WITH(labels, of_a_text_127_bytes_are_kept_and_it_is_copied)
{
	char text[200], kept[128] = "";
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	memset(kept, 'x', sizeof kept - 1);
	label(0, 1, text);
	text[127] = '\0';
	label(1, 1, text);
	text[126] = '\0';
	label(2, 1, text);
	text[0] = 'y';
	assert_string_equal(text_at(0), kept);
	assert_string_equal(text_at(1), kept);
	assert_int_equal(strlen(text_at(2)), 126);
	assert_string_equal(text_at(2), kept + 1);
}

TEST_WITH(labels, losses_are_given_to_the_label_of_their_time)
{
	label(0, 8, "first");
	lose_at(7, 0);
	label(0, 8, "second");
	lose_at(0, 0);
	lose_at(0, 0);
	lose_at(8, 0);
	assert_int_equal(losses("first"), 1);
	assert_int_equal(losses("second"), 2);
	assert_int_equal(recorded("second", 0).estimated_ns, 20);
	assert_int_equal(recorded("second", BYTES).size, 8);
	assert_int_equal(recorded("second", BYTES).count, 0);
}

TEST_WITH(labels, equal_texts_are_one_label)
{
	char text[] = "node", again[] = "node";
	label(0, 8, text);
	label(16, 8, again);
	lose_at(0, 0);
	lose_at(16, 0);
	assert_int_equal(losses("node"), 2);
	assert_ptr_equal(text_at(0), text_at(16));
}

/* They are named where a loss has met them, on either side. */
TEST_WITH(labels, pieces_are_recorded_once_a_loss_has_met_their_label)
{
	label(0, 8, "met");
	label(8, 8, "met by others");
	label(16, 8, "not met");
	lose_at(0, BYTES + 8);
	assert_int_equal(recorded("met", BYTES).size, 8);
	assert_int_equal(recorded("met by others", BYTES + 8).size, 8);
	assert_int_equal(losses("met by others"), 0);
	assert_string_equal(recorded("not met", BYTES + 16).text, "");
	labels_forget_losses();
	assert_int_equal(losses("met"), 0);
	assert_string_equal(recorded("met", BYTES).text, "");
}

TEST_WITH(labels, a_removed_label_names_its_losses_until_another_loss_comes)
{
	label(0, 8, "gone");
	label(8, 8, "gone too");
	lose_at(0, 0);
	label(0, 16, NULL);
	assert_string_equal(text_at(0), "gone");
	assert_string_equal(recorded("gone", BYTES).text, "");
	lose_at(0, 0);
	assert_null(text_at(0));
	assert_string_equal(text_at(8), "gone too");
	assert_int_equal(losses("gone"), 1);
	label(0, 8, "again");
	assert_string_equal(text_at(0), "again");
}

TEST_WITH(labels, without_a_size_or_a_text_labels_are_removed)
{
	label(0, 64, "table");
	label(16, 16, "");
	lose_at(16, 0);
	assert_int_equal(losses("table"), 0);
	lose_at(15, 0);
	lose_at(32, 0);
	assert_int_equal(losses("table"), 2);
	label(63, 0, "ignored"); /* all of the second part */
	lose_at(32, 0);
	lose_at(15, 0);
	assert_int_equal(losses("table"), 3);
	label(100, 0, NULL);
}

TEST_WITH(labels, an_object_is_called_by_its_label)
{
	char name[OBJECT_NAME];
	label(0, 8, "account 17");
	assert_true(names_object(BYTES + 7, name));
	assert_string_equal(name, "account 17");
	assert_false(names_object(BYTES + 8, name));
}

/* ---- random operations ---- */

enum { MODEL_BYTES = 256, MODEL_TEXTS = 6 };

/* Of each byte its label, -1: none, and the piece that it belongs to. */
struct model {
	int label[MODEL_BYTES];
	unsigned piece[MODEL_BYTES];
	uint64_t losses[MODEL_TEXTS];
};

static void model_change(struct model *model, size_t at, size_t size, int to, unsigned piece)
{
	for (size_t i = at; i < at + size; i++) {
		model->label[i] = to;
		model->piece[i] = piece;
	}
}

/* Removes the labels of the bytes around this one that belong to its piece. */
static void model_remove(struct model *model, size_t at, unsigned piece)
{
	size_t from = at, to = at;
	if (model->label[at] < 0)
		return;
	while (from > 0 && model->piece[from - 1] == model->piece[at])
		from--;
	while (to < MODEL_BYTES && model->piece[to] == model->piece[at])
		to++;
	model_change(model, from, to - from, -1, piece);
}

static void change_at_random(struct model *model, struct random *random, unsigned piece)
{
	char text[32];
	size_t at = random_below(random, MODEL_BYTES), size = 1 + random_below(random, 40);
	int to = (int)random_below(random, MODEL_TEXTS + 2) - 2;
	size = size < MODEL_BYTES - at ? size : MODEL_BYTES - at;
	snprintf(text, sizeof text, "text %d", to);
	if (to == -2) {
		label(at, 0, NULL);
		model_remove(model, at, piece);
		return;
	}
	label(at, size, to == -1 ? NULL : text);
	model_change(model, at, size, to, piece);
}

TEST_WITH(labels, random_labels_are_those_of_a_naive_model)
{
	struct model model = {.losses = {0}};
	struct random random = {17};
	char text[32];
	model_change(&model, 0, MODEL_BYTES, -1, 0);
	for (unsigned piece = 1; piece <= 20000; piece++) {
		change_at_random(&model, &random, piece);
		size_t at = random_below(&random, MODEL_BYTES);
		lose_at(at, 0);
		if (model.label[at] >= 0) {
			snprintf(text, sizeof text, "text %d", model.label[at]);
			assert_string_equal(text_at(at), text);
			model.losses[model.label[at]]++;
		}
	}
	for (int i = 0; i < MODEL_TEXTS; i++) {
		snprintf(text, sizeof text, "text %d", i);
		assert_int_equal(losses(text), model.losses[i]);
	}
}

/* ---- processes and threads ---- */

TEST_WITH(labels, a_forked_child_has_the_labels)
{
	label(0, 8, "account");
	if (in_forked_child()) {
		label(8, 8, "child's");
		bool has_both = strcmp(text_at(0), "account") == 0 && strcmp(text_at(8), "child's") == 0;
		_exit(has_both && labels_lost() == 0 ? 0 : 1);
	}
	assert_null(text_at(8));
}

enum { CHANGES = 20000, CHANGERS = 2 };

static void *change_all_the_time(void *arg)
{
	uintptr_t from = *(uintptr_t *)arg;
	for (uintptr_t i = 0; i < CHANGES; i++) {
		label(from + i % 7 * 8, 8 + i % 3 * 8, i % 5 == 0 ? NULL : "changing");
		label(from + i % 11 * 8, 0, NULL);
	}
	return NULL;
}

/* One that is never changed lies between the others. */
TEST_WITH(labels, while_labels_change_each_loss_is_counted_or_lost)
{
	pthread_t changers[CHANGERS];
	uintptr_t from[CHANGERS] = {0, 264};
	uint64_t before = labels_lost(), total = 100000;
	label(256, 8, "the same");
	for (int i = 0; i < CHANGERS; i++)
		assert_int_equal(pthread_create(&changers[i], NULL, change_all_the_time, &from[i]), 0);
	for (uint64_t i = 0; i < total; i++)
		lose_at(256 + i % 8, 0);
	for (int i = 0; i < CHANGERS; i++)
		pthread_join(changers[i], NULL);
	assert_int_equal(losses("the same") + labels_lost() - before, total);
	assert_true(losses("the same") > 0);
}

/* ---- no more room ---- */

/* Pieces that were removed make room for new ones. */
TEST_WITH(labels, so_many_pieces_are_kept_and_no_more)
{
	uint64_t before = labels_lost();
	for (uintptr_t i = 0; i < LABELS_MAX; i++)
		label(i * 16, 8, "piece");
	assert_int_equal(labels_lost(), before);
	assert_string_equal(text_at((LABELS_MAX - 1) * 16), "piece");
	label(LABELS_MAX * 16, 8, "one more");
	assert_null(text_at(LABELS_MAX * 16));
	assert_int_equal(labels_lost(), before + 1);
	label(2, 2, NULL); /* no room for the part behind it */
	assert_string_equal(text_at(0), "piece");
	assert_null(text_at(4));
	assert_int_equal(labels_lost(), before + 2);
	label(160, 0, NULL);
	label(LABELS_MAX * 16, 8, "one more");
	assert_string_equal(text_at(LABELS_MAX * 16), "one more");
	assert_null(text_at(160));
	assert_int_equal(labels_lost(), before + 2);
}

/* The last test: texts are never forgotten. */
TEST_WITH(labels, so_many_texts_are_kept_and_no_more)
{
	char text[32];
	uint64_t before = labels_lost();
	unsigned kept = 0;
	for (; labels_lost() == before; kept++) {
		snprintf(text, sizeof text, "account %u", kept);
		label(0, 8, text);
	}
	assert_in_range(kept, LABELS_MAX - 100, LABELS_MAX);
	snprintf(text, sizeof text, "account %u", kept - 2);
	assert_string_equal(text_at(0), text);
	label(8, 8, "account 0");
	assert_string_equal(text_at(8), "account 0");
	assert_int_equal(labels_lost(), before + 1);
}
