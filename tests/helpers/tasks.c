/* SPDX-License-Identifier: MIT
 * Two tasks on threads of their own, and a third task that joins them. The tasks have regions; the work of one region
 * is its page faults, if these can be counted. Embeds the library as any program can. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <stmlog/measure.h>
#include <stmlog/timeline.h>

enum { JOIN = 10, LEFT, RIGHT, WORK = 100000 };

static volatile uint64_t sum;

static void add_up(struct stmlog_thread *thread, uint64_t count)
{
	stmlog_region_begin(thread, "sum", count);
	for (uint64_t i = 0; i < count; i++)
		sum = sum + i;
	stmlog_region_end(thread, 0);
}

static void fill(struct stmlog_thread *thread)
{
	struct stmlog_measure faults;
	int error = stmlog_measure_open(&faults, STMLOG_MEASURE_PAGE_FAULTS);
	if (error != 0)
		printf("page faults are not counted: %s\n", stmlog_measure_why(error));
	uint64_t before = stmlog_measure_now(&faults);
	stmlog_region_begin(thread, "fill", 0);
	char *memory = malloc(1 << 20);
	for (size_t i = 0; memory != NULL && i < 1 << 20; i += 512)
		((volatile char *)memory)[i] = 1;
	stmlog_region_end(thread, stmlog_measure_since(&faults, before));
	free(memory);
	stmlog_measure_close(&faults);
}

static void *work(void *task)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	uint64_t number = *(const uint64_t *)task;
	stmlog_task_start(thread, number);
	add_up(thread, WORK * (number - JOIN));
	if (number == RIGHT)
		fill(thread);
	stmlog_task_end(thread, number);
	return NULL;
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "tasks"};
	static uint64_t tasks[] = {LEFT, RIGHT};
	pthread_t threads[2];
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_task_create(thread, JOIN);
	stmlog_task_start(thread, JOIN);
	stmlog_region_begin(thread, "all", 0);
	for (int i = 0; i < 2; i++) {
		stmlog_task_create(thread, tasks[i]);
		if (pthread_create(&threads[i], NULL, work, &tasks[i]) != 0)
			return 1;
	}
	stmlog_task_suspend(thread, JOIN);
	for (int i = 0; i < 2; i++) {
		stmlog_touch_pause(thread, tasks[i]);
		pthread_join(threads[i], NULL);
		stmlog_touch_resume(thread, tasks[i]);
	}
	stmlog_task_resume(thread, JOIN);
	add_up(thread, WORK);
	stmlog_region_end(thread, 4 * WORK);
	stmlog_task_end(thread, JOIN);
	return 0;
}
