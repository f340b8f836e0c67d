/* SPDX-License-Identifier: MIT
 * Runs a scenario: both threads, and the calling thread, which notices that the second one waits. */
#include "scenario.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static struct stm_thread *begin(const struct interleaving *run, enum role role)
{
	struct stm_thread *thread = stm_thread_begin();
	if (thread == NULL)
		abort();
	if (run->observer->begin != NULL)
		run->observer->begin(role);
	return thread;
}

static void end(const struct interleaving *run, enum role role, struct stm_thread *thread)
{
	if (run->observer->end != NULL)
		run->observer->end(role);
	stm_thread_end(&thread);
}

static void *run_first(void *arg)
{
	struct interleaving *run = arg;
	struct stm_thread *thread = begin(run, FIRST);
	if (run->scenario->program[FIRST] != NULL)
		run->scenario->program[FIRST](run, thread);
	else
		stm_run(thread, run->scenario->transaction[FIRST], run);
	reach(run, FIRST_HAS_ENDED);
	end(run, FIRST, thread);
	return NULL;
}

static void *run_second(void *arg)
{
	struct interleaving *run = arg;
	struct stm_thread *thread = begin(run, SECOND);
	if (run->scenario->program[SECOND] != NULL)
		run->scenario->program[SECOND](run, thread);
	else
		stm_run(thread, run->scenario->transaction[SECOND], run);
	reach(run, FIRST_MAY_GO_ON); /* in case it still waits */
	end(run, SECOND, thread);
	return NULL;
}

/* When the second thread waits within the STM, lets time pass; then lets the first one go on. */
static void end_wait(struct interleaving *run)
{
	while (stm_waiting() == 0)
		sched_yield();
	pass_time(run);
	reach(run, FIRST_MAY_GO_ON);
}

static void start(pthread_t *thread, void *(*program)(void *), struct interleaving *run)
{
	if (pthread_create(thread, NULL, program, run) != 0)
		abort();
}

static void run_threads(struct interleaving *run)
{
	const bool has_first = run->scenario->transaction[FIRST] != NULL;
	pthread_t first, second;
	if (has_first)
		start(&first, run_first, run);
	start(&second, run_second, run);
	if (run->scenario->has_wait)
		end_wait(run);
	if (has_first)
		pthread_join(first, NULL);
	pthread_join(second, NULL);
}

void scenario_run(const struct scenario *scenario, struct scenario_observer *observer)
{
	struct interleaving run = {
		.scenario = scenario,
		.observer = observer,
		.object = stm_object_create("the object", 2),
		.other_object = stm_object_create("another object", 1),
		.third_object = stm_object_create("a third object", 1),
	};
	if (run.object == NULL || run.other_object == NULL || run.third_object == NULL)
		abort();
	if (scenario->setup != NULL)
		scenarios.configure(scenario->setup);
	for (int i = 0; i < POINTS; i++)
		sem_init(&run.points[i], 0, 0);
	run_threads(&run);
	for (int i = 0; i < POINTS; i++)
		sem_destroy(&run.points[i]);
}
