/* SPDX-License-Identifier: MIT
 *
 * A chat with a wall for each guest, and a thread for each guest. The fault: there are four times as many threads as
 * processors, and a guest gives up the processor in the middle of a transaction. The commits of the others wait for it,
 * and it waits for a processor. Without the fault there are no more threads than processors.
 * usage: preempted with|without
 */
#include "program.h"

#include <sched.h>

enum { GUESTS_MAX = 64, CROWD = 4, POSTS = 25, KEPT = 16, TYPING = 3000 };

struct message {
	uint64_t guest, number;
};

static struct wall {
	_Alignas(64) uint64_t len;
	struct message last[KEPT];
} walls[GUESTS_MAX];

static unsigned guests;
static bool is_crowded;

static unsigned processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static unsigned at_least_two(unsigned count)
{
	return count < 2 ? 2 : count;
}

static unsigned count_guests(void)
{
	unsigned count = processors();
	if (is_crowded)
		count = at_least_two(count * CROWD);
	return count < GUESTS_MAX ? count : GUESTS_MAX;
}

/* As when the page is not in memory, or another program wants to run. */
static __attribute__((transaction_pure, noinline)) void let_others_run(void)
{
	sched_yield();
}

static __attribute__((noinline)) void post(struct wall *wall, unsigned guest, unsigned number)
{
	__transaction_atomic
	{
		struct message *message = &wall->last[wall->len++ % KEPT];
		message->guest = guest;
		message->number = number;
		program_work(TYPING);
		let_others_run();
		program_work(TYPING);
	}
}

static void chat(unsigned guest)
{
	struct wall *wall = &walls[guest];
	for (unsigned i = 0; i < POSTS; i++) {
		post(wall, guest, i);
		program_work(TYPING);
	}
}

/* Each message on the wall is one that was posted. */
static bool is_sound(const struct wall *wall)
{
	for (unsigned i = 0; i < KEPT && i < wall->len; i++)
		if (wall->last[i].guest >= guests || wall->last[i].number >= POSTS)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	uint64_t posted = 0;
	bool are_sound = true;
	is_crowded = program_has_fault(argc, argv);
	guests = count_guests();
	program_run(guests, chat);
	for (unsigned i = 0; i < guests; i++) {
		posted += walls[i].len;
		are_sound = are_sound && is_sound(&walls[i]);
	}
	return program_result(are_sound && posted == (uint64_t)guests * POSTS, posted);
}
