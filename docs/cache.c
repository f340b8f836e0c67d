/* SPDX-License-Identifier: MIT
 *
 * The program of tutorial.md: a cache for several threads. Its hash table has ITEMS values; a new value takes the place
 * of the one that was not used for the longest time. Two threads, on a processor each, look up keys that are all there.
 * usage: cache
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, LOOKUPS = 60000, ITEMS = 1024, BUCKETS = 2048, WORDS = 256 };

struct item {
	uint64_t key;
	struct item *next_in_bucket;
	struct item *newer, *older; /* the neighbours in the order of use */
	time_t used;
	uint64_t value[WORDS];
};

static struct item items[ITEMS];
static struct item *buckets[BUCKETS];
static struct item *newest, *oldest;

static struct item **bucket_of(uint64_t key)
{
	return &buckets[key * 11400714819323198485u >> 53];
}

static struct item *find(uint64_t key)
{
	struct item *item = *bucket_of(key);
	while (item && item->key != key)
		item = item->next_in_bucket;
	return item;
}

/* Takes the item out of the order of use. */
static void take_out(struct item *item)
{
	*(item->newer ? &item->newer->older : &newest) = item->older;
	*(item->older ? &item->older->newer : &oldest) = item->newer;
}

/* Puts it at the front of that order. */
static void put_first(struct item *item)
{
	item->newer = NULL;
	item->older = newest;
	*(newest ? &newest->newer : &oldest) = item;
	newest = item;
}

static void use(struct item *item, time_t now)
{
	take_out(item);
	put_first(item);
	item->used = now;
}

/* The sum of the key's value, or 0 if the key is not there. */
static __attribute__((noinline)) uint64_t cache_get(uint64_t key, time_t now)
{
	uint64_t sum = 0;
	__transaction_atomic
	{
		struct item *item = find(key);
		if (item) {
			use(item, now);
			for (unsigned i = 0; i < WORDS; i++)
				sum += item->value[i];
		}
	}
	return sum;
}

/* Before there are threads: so that each key below ITEMS is there. */
static void fill(void)
{
	for (uint64_t key = 0; key < ITEMS; key++) {
		struct item *item = &items[key];
		*item = (struct item){
			.key = key, .next_in_bucket = *bucket_of(key), .used = time(NULL), .value = {key + 1}};
		*bucket_of(key) = item;
		put_first(item);
	}
}

/* Keeps the calling thread on a processor of its own, if there are as many. */
static void pin(unsigned number)
{
	cpu_set_t all, own;
	CPU_ZERO(&own);
	sched_getaffinity(0, sizeof all, &all);
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all) && number-- == 0)
			CPU_SET(i, &own);
	pthread_setaffinity_np(pthread_self(), sizeof own, &own);
}

static void *serve(void *number)
{
	uint64_t random = (uintptr_t)number + 1, found = 0;
	pin((unsigned)(uintptr_t)number);
	for (unsigned i = 0; i < LOOKUPS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		found += cache_get(random >> 54, time(NULL)) != 0;
	}
	return (void *)(uintptr_t)found;
}

int main(void)
{
	pthread_t threads[THREADS];
	uintptr_t found = 0;
	fill();
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, serve, (void *)i);
	for (unsigned i = 0; i < THREADS; i++) {
		void *of_thread;
		pthread_join(threads[i], &of_thread);
		found += (uintptr_t)of_thread;
	}
	printf("found %zu of %d\n", (size_t)found, THREADS * LOOKUPS);
	return 0;
}
