/* SPDX-License-Identifier: MIT
 * Makes captions. The names of each place are looked up once, and kept; of objects, OBJECT_SLOTS names are kept. */
#include "export_perfetto_caption.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stmlog/causes.h>
#include <stmlog/timeline.h>

#include "event.h"
#include "memory.h"
#include "utf8.h"

/* The names of a place; NULL: not known. */
struct place_texts {
	bool is_ready;
	char *function;
	char *at; /* file:line, or module+offset */
	char *word;
};

/* A cache: there may be as many objects as events. */
enum { OBJECT_SLOTS = 1024 };

struct object {
	uint64_t address;
	char *text;
};

struct captions {
	const struct recording *recording;
	struct symbols *symbols;
	struct place_texts *places;
	struct object objects[OBJECT_SLOTS];
	char *attempt; /* the name of the last attempt */
};

struct captions *captions_create(const struct recording *recording, struct symbols *symbols)
{
	struct captions *captions = memory_zeroed(1, sizeof *captions);
	captions->recording = recording;
	captions->symbols = symbols;
	captions->places = memory_zeroed(recording->place_count + 1, sizeof *captions->places);
	return captions;
}

void captions_destroy(struct captions **captions)
{
	for (size_t i = 0; i < (*captions)->recording->place_count; i++) {
		free((*captions)->places[i].function);
		free((*captions)->places[i].at);
		free((*captions)->places[i].word);
	}
	for (size_t i = 0; i < OBJECT_SLOTS; i++)
		free((*captions)->objects[i].text);
	free((*captions)->places);
	free((*captions)->attempt);
	free(*captions);
	*captions = NULL;
}

/* ---- texts ---- */

static void name_frame(struct place_texts *texts, const struct symbol_frame *frame)
{
	texts->function = frame->function != NULL ? utf8_cleaned(memory_text(frame->function)) : NULL;
	if (frame->file != NULL)
		texts->at = utf8_cleaned(symbol_position(frame->file, frame->line, frame->last_line));
	else
		texts->at = utf8_cleaned(memory_format(
			"%s+0x%" PRIx64, frame->module != NULL ? symbol_basename(frame->module) : "", frame->offset));
}

static const struct place_texts *texts_of(struct captions *captions, const struct stmlog_event_record *event)
{
	static const struct place_texts none;
	if (event->kind == STMLOG_EVENT_MISSING || event->place >= captions->recording->place_count)
		return &none;
	struct place_texts *texts = &captions->places[event->place];
	if (texts->is_ready)
		return texts;
	struct stmlog_place_record place = event_place(captions->recording, event);
	struct recording_traceback traceback = recording_traceback(captions->recording, place.traceback);
	texts->is_ready = true;
	if (traceback.len > 0)
		name_frame(texts, &symbols_site(captions->symbols, traceback.sites[0])->frames[0]);
	if (place.word != 0)
		texts->word = utf8_cleaned(memory_text(recording_string(captions->recording, place.word)));
	return texts;
}

const char *caption_counter(struct captions *captions, const struct stmlog_event_record *event)
{
	const char *word = texts_of(captions, event)->word;
	return word != NULL && word[0] != '\0' ? word : "counter";
}

static const char *object_text(struct captions *captions, uint64_t address)
{
	struct object *object = &captions->objects[address / 8 % OBJECT_SLOTS];
	if (object->address != address) {
		free(object->text);
		object->text = utf8_cleaned(symbols_object(captions->symbols, address));
		object->address = address;
	}
	return object->text;
}

char *caption_lane(const struct bar_lane *lane)
{
	if (lane->name[0] == '\0')
		return memory_format("thread %" PRIu32, lane->thread);
	return utf8_cleaned(memory_format("%s (thread %" PRIu32 ")", lane->name, lane->thread));
}

/* ---- facts ---- */

static void caption_add(struct caption *caption, struct caption_fact fact)
{
	if (caption->len < CAPTION_FACTS)
		caption->facts[caption->len++] = fact;
}

static void add_text(struct caption *caption, const char *key, const char *text)
{
	if (text != NULL && text[0] != '\0')
		caption_add(caption, (struct caption_fact){.key = key, .text = text});
}

static void add_argument(struct captions *captions, struct caption *caption, const struct stmlog_event_record *event)
{
	struct caption_fact fact = {.key = stmlog_event_rule_of(event->kind)->argument, .number = event->argument};
	fact.is_address = event_has_cause(event);
	if (fact.key[0] == '\0' || (fact.is_address && fact.number == 0))
		return;
	caption_add(caption, fact);
	const char *symbol = fact.is_address ? object_text(captions, fact.number) : NULL;
	if (symbol != NULL)
		caption_add(caption, (struct caption_fact){.key = "symbol", .text = symbol, .is_various = true});
}

static void add_cause(struct caption *caption, const struct stmlog_event_record *event)
{
	if (event_has_cause(event)) {
		add_text(caption, "reason", stmlog_reason_name(event->reason));
		add_text(caption, "contention", stmlog_contention_name(event->contention));
	}
	add_text(caption, "detail", event_detail_name(event));
	if (event_other(event) != 0)
		caption_add(caption, (struct caption_fact){.key = "other", .number = event_other(event)});
	if (event_value(event) != 0)
		caption_add(caption, (struct caption_fact){.key = "value", .number = event_value(event)});
}

static void add_event(struct captions *captions, struct caption *caption, const struct stmlog_event_record *event)
{
	const struct place_texts *texts = texts_of(captions, event);
	add_cause(caption, event);
	add_argument(captions, caption, event);
	add_text(caption, "function", texts->function);
	add_text(caption, "at", texts->at);
	add_text(caption, "word", texts->word);
}

/* The number of a task is left out: the event that opens the bar has the same. */
static void add_end(struct captions *captions, struct caption *caption, const struct stmlog_event_record *event)
{
	const struct place_texts *texts = texts_of(captions, event);
	add_cause(caption, event);
	if (event->kind == STMLOG_EVENT_REGION_END)
		caption_add(caption, (struct caption_fact){.key = "end_work", .number = event->argument});
	else if (event->kind == STMLOG_EVENT_ABORT)
		add_argument(captions, caption, event);
	add_text(caption, "end_function", texts->function);
	add_text(caption, "end_at", texts->at);
	add_text(caption, "end_word", texts->word);
}

/* ---- bars ---- */

static const char *category_of(unsigned kind)
{
	static const char *const names[STMLOG_SPANS] = {
		[STMLOG_SPAN_ATTEMPT] = "transaction",
		[STMLOG_SPAN_WAIT] = "wait",
		[STMLOG_SPAN_TASK] = "task",
		[STMLOG_SPAN_TOUCH] = "touch",
		[STMLOG_SPAN_REGION] = "region",
		[STMLOG_SPAN_BLOCK] = "block",
		[STMLOG_SPAN_HANDLE] = "handle",
	};
	const struct stmlog_event_rule *rule = stmlog_event_rule_of(kind);
	const char *name = rule->role == STMLOG_ROLE_OPENS ? names[rule->span] : NULL;
	return name != NULL ? name : rule->name;
}

/* The function where a transaction begins; if that is not known, where it ends. */
static const char *function_of(struct captions *captions, const struct bar *bar)
{
	const struct stmlog_event_record *events = captions->recording->events;
	const char *function = texts_of(captions, &events[bar->index])->function;
	if (function == NULL && bar->closed_by != BAR_NONE)
		function = texts_of(captions, &events[bar->closed_by])->function;
	return function;
}

/* "transfer", or the transaction's word. */
static const char *transaction_of(struct captions *captions, const struct bar *bar)
{
	const char *name = function_of(captions, bar);
	if (name == NULL)
		name = texts_of(captions, &captions->recording->events[bar->index])->word;
	return name != NULL ? name : category_of(STMLOG_EVENT_START);
}

static char *name_abort(const char *transaction, const struct stmlog_event_record *abort)
{
	const char *contention = stmlog_contention_name(abort->contention);
	if (abort->contention == STMLOG_NONE)
		return memory_format("%s: aborted, %s", transaction, stmlog_reason_name(abort->reason));
	if (event_has_unknown_other(abort))
		return memory_format("%s: aborted because of an unknown transaction, %s", transaction, contention);
	return memory_format("%s: aborted because of thread %" PRIu32 ", %s", transaction, abort->other, contention);
}

/* "transfer: aborted because of thread 2, write-read": viewers show the name in the bar, and count and colour bars by
 * their names. */
static char *name_attempt(struct captions *captions, const struct bar *bar)
{
	const char *transaction = transaction_of(captions, bar);
	if (bar->closed_by == BAR_NONE)
		return memory_format("%s: still open", transaction);
	const struct stmlog_event_record *end = &captions->recording->events[bar->closed_by];
	if (end->kind == STMLOG_EVENT_COMMIT)
		return memory_format("%s: committed", transaction);
	return end->kind == STMLOG_EVENT_ABORT ? name_abort(transaction, end)
					       : memory_format("%s: end unknown", transaction);
}

static void name_with_number(struct caption *caption, uint64_t number)
{
	snprintf(caption->name_text, sizeof caption->name_text, "%s %" PRIu64, caption->category, number);
	caption->name = caption->name_text;
	caption->is_various = true;
}

static void name_bar(struct captions *captions, struct caption *caption, const struct bar *bar)
{
	const struct stmlog_event_record *event = &captions->recording->events[bar->index];
	caption->category = caption->name = category_of(event->kind);
	if (event->kind == STMLOG_EVENT_START) {
		free(captions->attempt);
		caption->name = captions->attempt = name_attempt(captions, bar);
	}
	if (event->kind == STMLOG_EVENT_REGION_BEGIN && texts_of(captions, event)->word != NULL)
		caption->name = texts_of(captions, event)->word;
	if (event->kind == STMLOG_EVENT_WAIT_BEGIN) {
		snprintf(caption->name_text, sizeof caption->name_text, "wait: %s", event_detail_name(event));
		caption->name = caption->name_text;
	}
	if (bar->row == STMLOG_ROW_TASKS || bar->row == STMLOG_ROW_TOUCHES)
		name_with_number(caption, event->argument);
}

/* NULL: the bar was closed as expected. */
static const char *fate_of(const struct recording *recording, const struct bar *bar)
{
	unsigned kind = recording->events[bar->index].kind;
	if (kind == STMLOG_EVENT_MISSING)
		return NULL;
	if (bar->closed_by == BAR_NONE)
		return "open";
	unsigned by = recording->events[bar->closed_by].kind;
	if (by == STMLOG_EVENT_MISSING || by == STMLOG_EVENT_DETACH)
		return "unknown";
	return kind == STMLOG_EVENT_START ? stmlog_event_name(by) : NULL;
}

void caption_bar(struct captions *captions, const struct bar *bar, struct caption *caption)
{
	const struct stmlog_event_record *events = captions->recording->events;
	const struct stmlog_event_record *event = &events[bar->index];
	caption->len = 0;
	caption->is_various = false;
	name_bar(captions, caption, bar);
	const char *fate = fate_of(captions->recording, bar);
	add_text(caption, "fate", fate);
	add_event(captions, caption, event);
	if (bar->closed_by != BAR_NONE && event->kind != STMLOG_EVENT_MISSING &&
		events[bar->closed_by].kind != STMLOG_EVENT_MISSING)
		add_end(captions, caption, &events[bar->closed_by]);
}

/* ---- points ---- */

void caption_point(struct captions *captions, const struct bar_point *point, struct caption *caption)
{
	const struct stmlog_event_record *event = &captions->recording->events[point->index];
	caption->len = 0;
	caption->is_various = false;
	caption->category = caption->name = stmlog_event_name(event->kind);
	if (point->is_culprit) {
		caption->category = "culprit";
		snprintf(caption->name_text, sizeof caption->name_text, "aborts thread %" PRIu32, event->thread);
		caption->name = caption->name_text;
	} else if (event->kind == STMLOG_EVENT_MARK && texts_of(captions, event)->word != NULL) {
		caption->name = texts_of(captions, event)->word;
	}
	add_event(captions, caption, event);
}

char *caption_unmeasured(const struct recording_info *info)
{
	uint64_t attempts = info->attempts_without_events;
	if (attempts == 0)
		return NULL;
	return memory_format("%" PRIu64 " attempt%s not measured", attempts, attempts == 1 ? " was" : "s were");
}
