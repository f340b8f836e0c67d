/* SPDX-License-Identifier: MIT
 *
 * The topics of the broker. The snapshot for the monitor reads all topics in one transaction; fixed, a transaction
 * reads one topic, since the monitor's users do not compare topics.
 */
#define CREW_PLUGIN
#include "plugin.h"

enum { TOPICS = 4000, MESSAGES = 8 };

static struct topic {
	_Alignas(64) unsigned head, tail;
	int messages[MESSAGES];
} topics[TOPICS];

static unsigned lengths[TOPICS];

static void open_topics(void)
{
	for (unsigned i = 0; i < TOPICS; i++)
		topics[i].head = topics[i].tail = i % MESSAGES;
}

NOINLINE static void publish(struct topic *topic, int message)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (topic->head - topic->tail < MESSAGES) {
			topic->messages[topic->head % MESSAGES] = message;
			topic->head++;
		}
		stamp_last();
	}
	stamp_after();
}

NOINLINE static int consume(struct topic *topic)
{
	int message = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (topic->head != topic->tail) {
			message = topic->messages[topic->tail % MESSAGES];
			topic->tail++;
		}
		stamp_last();
	}
	stamp_after();
	return message;
}

/* Writes down the lengths of `count` topics from the `first` one on. */
NOINLINE static void snapshot_topics(int first, int count)
{
	unsigned length[TOPICS];
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < count; i++)
			length[i] = topics[first + i].head - topics[first + i].tail;
		stamp_last();
	}
	stamp_after();
	memcpy(&lengths[first], length, (size_t)count * sizeof(length[0]));
}

static void serve(struct member *me)
{
	publish(&topics[member_random(me, TOPICS)], (int)member_random(me, 1000));
	crew_count();
	consume(&topics[member_random(me, TOPICS)]);
	crew_count();
}

static void monitor(struct member *me)
{
	(void)me;
#ifdef FIXED
	for (int i = 0; i < TOPICS; i++) {
		snapshot_topics(i, 1);
		idle(3000);
	}
#else
	snapshot_topics(0, TOPICS);
#endif
}

const struct plugin plugin = {open_topics, serve, monitor};
