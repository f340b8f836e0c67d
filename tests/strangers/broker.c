/* SPDX-License-Identifier: MIT
 *
 * A message broker: its topics are in a plugin. One thread publishes and consumes messages, the other one is a monitor
 * that asks for the lengths of all topics, as often as its users reload their page.
 */
#include "plugin.h"

enum { THREADS = CREW_THREADS(2) };

static const struct plugin *broker;

static void run_broker(struct member *me)
{
	while (is_open()) {
		if (me->number == 0) {
			broker->maintain(me);
			idle(20000);
		} else {
			broker->serve(me);
			idle(3000);
		}
	}
}

int main(int argc, char **argv)
{
	broker = plugin_load(argv[0]);
	return crew_run(argc, argv, THREADS, run_broker);
}
