/* SPDX-License-Identifier: MIT
 *
 * The turnstiles of a stadium, and passes for a hundred visits. A pass that is used up is written to a log, and sold
 * anew.
 */
#include "crew.h"

#include <fcntl.h>

enum { PASSES = 8192, VISITS = 100, THREADS = 2 };

static struct pass {
	_Alignas(64) long left;
	long visits;
	long last_gate;
} passes[PASSES];
static int log_file;

static void log_refusal(long pass, long gate)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "gate %ld: pass %ld is used up\n", gate, pass);
	if (write(log_file, line, (size_t)len) != len)
		abort();
}

static void enter(long number, long gate)
{
	struct pass *pass = &passes[number];
	bool is_refused = false;
	stamp_before();
#ifdef FIXED
	__transaction_atomic
#else
	__transaction_relaxed
#endif
	{
		stamp_first();
		if (pass->left > 0) {
			pass->left--;
			pass->visits++;
			pass->last_gate = gate;
		} else {
			pass->left = VISITS;
			is_refused = true;
#ifndef FIXED
			log_refusal(number, gate);
#endif
		}
		stamp_last();
	}
	stamp_after();
#ifdef FIXED
	if (is_refused)
		log_refusal(number, gate);
#else
	(void)is_refused;
#endif
}

static void guard(struct member *me)
{
	while (is_open())
		enter((long)member_random(me, PASSES), me->number);
}

int main(int argc, char **argv)
{
	struct member seller = {0, 88172645463325252u, NULL};
	for (int i = 0; i < PASSES; i++)
		passes[i].left = (long)member_random(&seller, VISITS);
	log_file = open("/dev/null", O_WRONLY);
	return log_file < 0 ? 1 : crew_run(argc, argv, THREADS, guard);
}
