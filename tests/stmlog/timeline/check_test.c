/* SPDX-License-Identifier: MIT
 * Faults that the check of a timeline finds, each in a timeline of a few events. */

#include <valgrind/valgrind.h>

#include <string.h>

#include <stmlog/timeline.h>

#include "fixture.h"
#include "mem.h"
#include "random.h"

static const struct stmlog_place places[2] = {{.is_known = false}, {.is_known = true}};

static bool check(const struct stmlog_event *events, size_t len, struct stmlog_timeline_fault *fault)
{
	struct stmlog_timeline timeline = {.len = len, .events = events, .place_count = 2, .places = places};
	return stmlog_timeline_check(&timeline, fault);
}

static struct stmlog_event event_of(unsigned kind, uint32_t thread)
{
	return (struct stmlog_event){.kind = (uint8_t)kind, .thread = thread, .argument = 1};
}

/* ---- cases ---- */

/* Kinds of one thread's events, ended by -1; a contention leads to the kind that follows. */
static void expect(const int *kinds, size_t fault_at, const char *what)
{
	struct stmlog_event events[16];
	struct stmlog_timeline_fault fault;
	size_t len = 0;
	for (; kinds[len] >= 0; len++) {
		events[len] = event_of((unsigned)kinds[len], 1);
		if (kinds[len] == STMLOG_EVENT_CONTENTION)
			events[len].detail = (uint8_t)kinds[len + 1];
	}
	if (check(events, len, &fault) != (what == NULL))
		fail_msg("event %zu: %s", fault.index, fault.what != NULL ? fault.what : "all is right");
	assert_int_equal(fault.index, what == NULL ? len : fault_at);
	if (what != NULL)
		assert_string_equal(fault.what, what);
}

#define KINDS(...) ((const int[]){__VA_ARGS__, -1})
#define K(id) STMLOG_EVENT_##id

TEST_WITH(no_leaks, what_fits_together_is_right)
{
	expect(KINDS(-1), 0, NULL);
	expect(KINDS(K(ATTACH)), 0, NULL);
	expect(KINDS(K(ATTACH), K(START), K(COMMIT), K(DETACH)), 0, NULL);
	expect(KINDS(K(ATTACH), K(START), K(CONTENTION), K(ABORT), K(START), K(COMMIT)), 0, NULL);
	expect(KINDS(K(ATTACH), K(START), K(CONTENTION), K(ABORT_OTHER), K(INEVITABLE), K(COMMIT)), 0, NULL);
	expect(KINDS(K(ATTACH), K(CONTENTION), K(WAIT_BEGIN), K(WAIT_END), K(START)), 0, NULL);
	expect(KINDS(K(ATTACH), K(START), K(WAIT_BEGIN), K(DETACH), K(ATTACH), K(START)), 0, NULL);
	expect(KINDS(K(ATTACH), K(TASK_START), K(TASK_SUSPEND), K(TASK_RESUME), K(TOUCH_PAUSE), K(TOUCH_RESUME),
		       K(TASK_END)),
		0, NULL);
	expect(KINDS(K(ATTACH), K(TASK_START), K(TOUCH_PAUSE), K(TASK_START), K(TOUCH_PAUSE), K(TOUCH_PAUSE),
		       K(TOUCH_RESUME), K(TOUCH_RESUME), K(TASK_END), K(TOUCH_RESUME), K(TASK_END)),
		0, NULL);
	expect(KINDS(K(ATTACH), K(TASK_START), K(BLOCK_BEGIN), K(BLOCK_END), K(HANDLE_BEGIN), K(HANDLE_BEGIN),
		       K(TASK_RESUME), K(TASK_SUSPEND), K(HANDLE_END), K(HANDLE_END), K(TASK_END)),
		0, NULL);
	expect(KINDS(K(ATTACH), K(REGION_BEGIN), K(REGION_BEGIN), K(REGION_END), K(REGION_END)), 0, NULL);
	expect(KINDS(K(ATTACH), K(MISSING), K(COMMIT), K(MISSING), K(START), K(MISSING), K(REGION_END)), 0, NULL);
	expect(KINDS(K(ATTACH), K(CONTENTION), K(MISSING), K(START)), 1, "no such event can follow from a contention");
}

TEST_WITH(no_leaks, the_first_event_that_breaks_a_rule_is_named)
{
	expect(KINDS(K(START)), 0, "the thread is not attached");
	expect(KINDS(K(ATTACH), K(ATTACH), K(ATTACH)), 1, "the thread is attached already");
	expect(KINDS(K(ATTACH), K(COMMIT)), 1, "no attempt is under way that it could end");
	expect(KINDS(K(ATTACH), K(START), K(ABORT), K(ABORT)), 3, "no attempt is under way that it could end");
	expect(KINDS(K(ATTACH), K(START), K(START)), 2, "an attempt is under way already");
	expect(KINDS(K(ATTACH), K(START), K(WAIT_BEGIN), K(COMMIT)), 3, "the attempt ends while the thread waits");
	expect(KINDS(K(ATTACH), K(WAIT_BEGIN), K(START)), 2, "the attempt begins while the thread waits");
	expect(KINDS(K(ATTACH), K(WAIT_BEGIN), K(WAIT_BEGIN)), 2, "the thread waits already");
	expect(KINDS(K(ATTACH), K(WAIT_END)), 1, "the thread does not wait");
	expect(KINDS(K(ATTACH), K(ABORT_OTHER)), 1, "no attempt is under way");
	expect(KINDS(K(ATTACH), K(INEVITABLE)), 1, "no attempt is under way");
	expect(KINDS(K(ATTACH), K(START), K(CONTENTION), K(COMMIT)), 2, "no such event can follow from a contention");
	expect(KINDS(K(ATTACH), K(TASK_START), K(TASK_START)), 2, "the thread works on a task already");
	expect(KINDS(K(ATTACH), K(TASK_END)), 1, "the thread works on no task");
	expect(KINDS(K(ATTACH), K(TASK_START), K(TOUCH_PAUSE), K(TASK_START), K(TASK_RESUME)), 4,
		"the thread works on a task already");
	expect(KINDS(K(ATTACH), K(BLOCK_BEGIN), K(BLOCK_BEGIN)), 2, "the thread is blocked already");
	expect(KINDS(K(ATTACH), K(BLOCK_END)), 1, "the thread is not blocked");
	expect(KINDS(K(ATTACH), K(HANDLE_END)), 1, "the thread handles no operation");
	expect(KINDS(K(ATTACH), K(HANDLE_BEGIN), K(TASK_START), K(HANDLE_END)), 3,
		"the thread handles an operation of another task");
	expect(KINDS(K(ATTACH), K(TOUCH_PAUSE), K(BLOCK_BEGIN), K(TOUCH_RESUME)), 3,
		"the thread waits for another task");
	expect(KINDS(K(ATTACH), K(TOUCH_RESUME)), 1, "the thread waits for no task");
	expect(KINDS(K(ATTACH), K(REGION_END)), 1, "no region is open");
	expect(KINDS(K(ATTACH), K(MISSING), K(COMMIT), K(COMMIT)), 3, "no attempt is under way that it could end");
	expect(KINDS(K(ATTACH), K(DETACH), K(MARK)), 2, "the thread is not attached");
}

/* An event put wrong in one member, behind one that is right. */
static void expect_wrong(struct stmlog_event wrong, const char *what)
{
	struct stmlog_event events[2] = {event_of(K(ATTACH), 1), wrong};
	struct stmlog_timeline_fault fault;
	events[0].time_ns = 10;
	assert_false(check(events, 2, &fault));
	assert_int_equal(fault.index, 1);
	assert_string_equal(fault.what, what);
}

TEST_WITH(no_leaks, numbers_that_there_are_not_are_found)
{
	struct stmlog_event wrong = event_of(K(MARK), 1);
	expect_wrong(wrong, "it is earlier than the event before");
	wrong.time_ns = 10;
	wrong.kind = STMLOG_EVENT_KINDS;
	expect_wrong(wrong, "there is no such kind of event");
	wrong = event_of(K(MARK), 0);
	expect_wrong(wrong, "it has no thread");
	wrong = event_of(K(MARK), 1);
	wrong.reason = STMLOG_REASONS;
	expect_wrong(wrong, "there is no such cause");
	wrong = event_of(K(MARK), 1);
	wrong.contention = STMLOG_CONTENTIONS;
	expect_wrong(wrong, "there is no such cause");
	wrong = event_of(K(TASK_START), 1);
	wrong.detail = STMLOG_WORK_AFTER_OVERFLOW + 1;
	expect_wrong(wrong, "there is no such detail");
	wrong = event_of(K(MARK), 1);
	wrong.place = 2;
	expect_wrong(wrong, "there is no such place");
	wrong = event_of(K(MISSING), 1);
	wrong.argument = 0;
	wrong.time_ns = 10;
	expect_wrong(wrong, "a gap of no events");
}

TEST(the_events_with_a_value_are_those_about_a_task)
{
	for (unsigned kind = 0; kind <= STMLOG_EVENT_KINDS; kind++)
		assert_int_equal(
			stmlog_event_has_value(kind), strcmp(stmlog_event_rule_of(kind)->argument, "task") == 0);
}

TEST_WITH(no_leaks, tasks_are_ended_by_their_own_numbers)
{
	struct stmlog_event events[3] = {event_of(K(ATTACH), 1), event_of(K(TASK_START), 1), event_of(K(TASK_END), 1)};
	struct stmlog_timeline_fault fault;
	events[2].argument = 2;
	assert_false(check(events, 3, &fault));
	assert_string_equal(fault.what, "the thread works on another task");
	events[0].kind = K(MISSING); /* which one it is may be unknown, but not once it was said */
	assert_false(check(events, 3, &fault));
	events[1] = event_of(K(MARK), 1);
	assert_true(check(events, 3, &fault));
	events[0].kind = K(ATTACH);
	events[1] = event_of(K(TOUCH_PAUSE), 1);
	events[2].kind = K(TOUCH_RESUME);
	assert_false(check(events, 3, &fault));
	assert_string_equal(fault.what, "the thread waits for another task");
}

TEST_WITH(no_leaks, a_continued_timeline_may_begin_with_anything_open)
{
	struct stmlog_event events[2] = {event_of(K(COMMIT), 1), event_of(K(COMMIT), 1)};
	struct stmlog_timeline timeline = {
		.is_continued = true, .len = 1, .events = events, .place_count = 2, .places = places};
	struct stmlog_timeline_fault fault;
	assert_true(stmlog_timeline_check(&timeline, &fault));
	timeline.len = 2;
	assert_false(stmlog_timeline_check(&timeline, &fault));
	assert_int_equal(fault.index, 1);
}

TEST_WITH(no_leaks, many_threads_are_kept_apart)
{
	static struct stmlog_event events[3000];
	struct stmlog_timeline_fault fault;
	for (uint32_t i = 0; i < 1000; i++) {
		events[i] = event_of(K(ATTACH), i * 4096 + 1);
		events[1000 + i] = event_of(K(START), i * 4096 + 1);
		events[2000 + i] = event_of(K(COMMIT), i * 4096 + 1);
	}
	assert_true(check(events, 3000, &fault));
	events[2999].kind = K(START);
	assert_false(check(events, 3000, &fault));
	assert_int_equal(fault.index, 2999);
	for (size_t n = 1; n <= 5; n++) { /* the table of threads grows that often */
		mem_fail_at(n);
		assert_false(check(events, 2999, &fault));
		assert_string_equal(fault.what, "there is no memory to check it");
	}
}

/* ---- against a model: the set of all states that a thread can be in ---- */

enum { THREADS = 3, STATES = 8, MAX = 60, DEEPEST = MAX };

enum bits { A = 1, T = 2, W = 4 }; /* attached, attempt, wait */

struct model {
	bool can[STATES];
	bool region[DEEPEST + 1]; /* how many may be open; the last stands for that many and more */
	bool any_below;           /* further spans about tasks may be open, below those in `nested` */
	char nested[MAX + 3];     /* a letter for each span about a task that is open: work, handling, touch, block */
	unsigned due;             /* the kind that has to come, 0: any */
};

static const struct rule {
	unsigned must, must_not, sets, clears;
} rules[STMLOG_EVENT_KINDS] = {
	[K(ATTACH)] = {0, A, A, T | W},
	[K(DETACH)] = {A, 0, 0, A | T | W},
	[K(START)] = {A, T | W, T, 0},
	[K(COMMIT)] = {A | T, W, 0, T},
	[K(ABORT)] = {A | T, W, 0, T},
	[K(CONTENTION)] = {A, 0, 0, 0},
	[K(ABORT_OTHER)] = {A | T, 0, 0, 0},
	[K(INEVITABLE)] = {A | T, 0, 0, 0},
	[K(WAIT_BEGIN)] = {A, W, W, 0},
	[K(WAIT_END)] = {A | W, 0, 0, W},
	[K(TASK_CREATE)] = {A, 0, 0, 0},
	[K(TASK_START)] = {A, 0, 0, 0},
	[K(TASK_SUSPEND)] = {A, 0, 0, 0},
	[K(TASK_RESUME)] = {A, 0, 0, 0},
	[K(TASK_END)] = {A, 0, 0, 0},
	[K(TOUCH_PAUSE)] = {A, 0, 0, 0},
	[K(TOUCH_RESUME)] = {A, 0, 0, 0},
	[K(BLOCK_BEGIN)] = {A, 0, 0, 0},
	[K(BLOCK_END)] = {A, 0, 0, 0},
	[K(HANDLE_BEGIN)] = {A, 0, 0, 0},
	[K(HANDLE_END)] = {A, 0, 0, 0},
	[K(REGION_BEGIN)] = {A, 0, 0, 0},
	[K(REGION_END)] = {A, 0, 0, 0},
	[K(COUNTER)] = {A, 0, 0, 0},
	[K(MARK)] = {A, 0, 0, 0},
};

static void move_regions(struct model *model, int by)
{
	struct model before = *model;
	memset(model->region, 0, sizeof model->region);
	for (int depth = 0; depth <= DEEPEST; depth++) {
		int to = depth + by > DEEPEST ? DEEPEST : depth + by;
		if (before.region[depth] && to >= 0)
			model->region[to] = true;
	}
	if (before.region[DEEPEST])
		model->region[DEEPEST] = true;
}

/* What the kind opens or closes; 0: nothing about a task. */
static char letter_of(unsigned kind)
{
	switch (kind) {
	case K(TASK_START):
	case K(TASK_RESUME):
	case K(TASK_SUSPEND):
	case K(TASK_END):
		return 'w';
	case K(HANDLE_BEGIN):
	case K(HANDLE_END):
		return 'h';
	case K(TOUCH_PAUSE):
	case K(TOUCH_RESUME):
		return 't';
	case K(BLOCK_BEGIN):
	case K(BLOCK_END):
		return 'b';
	default:
		return '\0';
	}
}

static bool nest(struct model *model, unsigned kind)
{
	char letter = letter_of(kind);
	size_t len = strlen(model->nested), at = len;
	bool closes = kind == K(TASK_SUSPEND) || kind == K(TASK_END) || kind == K(HANDLE_END) ||
		      kind == K(TOUCH_RESUME) || kind == K(BLOCK_END);
	const char *row = letter == 'w' || letter == 'h' ? "wh" : "tb";
	if (letter == '\0')
		return true;
	if (!closes) {
		bool is_in_itself = len > 0 && model->nested[len - 1] == letter && (letter == 'w' || letter == 'b');
		model->nested[len] = letter;
		model->nested[len + 1] = '\0';
		return !is_in_itself;
	}
	while (at > 0 && strchr(row, model->nested[at - 1]) == NULL)
		at--;
	if (at == 0)
		return model->any_below;
	if (model->nested[at - 1] != letter)
		return false;
	memmove(&model->nested[at - 1], &model->nested[at], len - at + 1);
	return true;
}

static bool is_possible(const struct model *model)
{
	bool any_state = false, any_depth = false;
	for (int s = 0; s < STATES; s++)
		any_state |= model->can[s];
	for (int depth = 0; depth <= DEEPEST; depth++)
		any_depth |= model->region[depth];
	return any_state && any_depth;
}

static bool model_step(struct model *model, const struct stmlog_event *event)
{
	const struct rule *rule = &rules[event->kind];
	bool is_bad_lead = event->kind == K(CONTENTION) && event->detail != K(ABORT) &&
			   event->detail != K(ABORT_OTHER) && event->detail != K(WAIT_BEGIN);
	if (is_bad_lead || (model->due != 0 && event->kind != model->due && event->kind != K(MISSING)))
		return false;
	model->due = event->kind == K(CONTENTION) ? event->detail : 0;
	if (event->kind == K(MISSING)) {
		model->any_below = true;
		model->nested[0] = '\0';
		memset(model->can, true, sizeof model->can);
		memset(model->region, true, sizeof model->region);
		return true;
	}
	bool can[STATES] = {false};
	for (unsigned s = 0; s < STATES; s++)
		if (model->can[s] && (s & rule->must) == rule->must && (s & rule->must_not) == 0)
			can[(s & ~rule->clears) | rule->sets] = true;
	memcpy(model->can, can, sizeof can);
	if (event->kind == K(ATTACH) || event->kind == K(DETACH)) {
		model->any_below = false;
		model->nested[0] = '\0';
		memset(model->region, 0, sizeof model->region);
		model->region[0] = true;
	}
	if (event->kind == K(REGION_BEGIN))
		move_regions(model, 1);
	if (event->kind == K(REGION_END))
		move_regions(model, -1);
	return is_possible(model) && nest(model, event->kind);
}

/* The index of the first event that is wrong; len: none is. */
static size_t model_check(const struct stmlog_event *events, size_t len)
{
	struct model models[THREADS + 1] = {0};
	for (int i = 0; i <= THREADS; i++)
		models[i].can[0] = models[i].region[0] = true;
	for (size_t i = 0; i < len; i++)
		if (!model_step(&models[events[i].thread], &events[i]))
			return i;
	return len;
}

/* Mostly right: of a few random events the first is taken that the model allows, and sometimes one that it does not. */
static size_t generate(struct random *random, struct stmlog_event *events)
{
	struct model models[THREADS + 1] = {0};
	size_t len = 1 + random_below(random, MAX);
	for (int i = 0; i <= THREADS; i++)
		models[i].can[0] = models[i].region[0] = true;
	for (size_t i = 0; i < len; i++) {
		for (int try = 0; try < 40; try++) {
			struct stmlog_event event =
				event_of(random_below(random, STMLOG_EVENT_KINDS), 1 + random_below(random, THREADS));
			struct model *model = &models[event.thread], moved = *model;
			if (event.kind == K(CONTENTION))
				event.detail = (uint8_t)(K(ABORT) + random_below(random, 5));
			events[i] = event;
			bool is_allowed = model_step(&moved, &event);
			bool is_rare = event.kind == K(MISSING) || event.kind == K(DETACH);
			if ((is_allowed && (!is_rare || random_below(random, 10) == 0)) ||
				random_below(random, 400) == 0) {
				*model = moved;
				break;
			}
		}
	}
	return len;
}

static void damage(struct random *random, struct stmlog_event *events, size_t *len)
{
	size_t at = random_below(random, (uint32_t)*len);
	switch (random_below(random, 4)) {
	case 0: /* left out */
		memmove(&events[at], &events[at + 1], (*len - at - 1) * sizeof *events);
		--*len;
		break;
	case 1: /* twice */
		memmove(&events[at + 1], &events[at], (*len - at) * sizeof *events);
		++*len;
		break;
	case 2: /* of another kind */
		events[at].kind = (uint8_t)random_below(random, STMLOG_EVENT_KINDS);
		events[at].detail = 0;
		break;
	default: /* somebody else's */
		events[at].thread = 1 + random_below(random, THREADS);
	}
}

TEST_WITH(no_leaks, every_violation_is_found_where_the_model_finds_it)
{
	struct random random = {3};
	size_t wrong = 0, right = 0;
	const size_t rounds = RUNNING_ON_VALGRIND ? 2000 : 50000;
	for (size_t round = 0; round < rounds; round++) {
		struct stmlog_event events[MAX + 2];
		struct stmlog_timeline_fault fault;
		size_t len = generate(&random, events);
		for (uint32_t n = random_below(&random, 3); n > 0 && len > 0; n--)
			damage(&random, events, &len);
		size_t expected = model_check(events, len);
		assert_int_equal(check(events, len, &fault), expected == len);
		assert_int_equal(fault.index, expected);
		wrong += expected < len;
		right += expected == len;
	}
	assert_true(wrong > rounds / 5 && right > rounds / 5);
}
