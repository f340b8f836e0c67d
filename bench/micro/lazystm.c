/* SPDX-License-Identifier: MIT
 *
 * What the hooks cost an STM whose transactions are tiny: lazystm, compiled without hooks, against lazystm with its
 * hooks, nothing recorded and everything recorded, timeline included. Two clock readings per transaction are the floor:
 * they are shown around transactions without hooks.
 */
#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "bench.h"
#include "copies.h"

static void compare(const char *what, bench_function *other, bench_function *base)
{
	bench_against(what, (struct bench_side){"this", other, NULL}, (struct bench_side){"no hooks", base, NULL});
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "lazystm", .report = "none"};
	off.begin();
	idle.begin();
	compare("tiny: nothing recorded", idle.tiny, off.tiny);
	compare("tiny: two clock readings", off.tiny_with_clock, off.tiny);
	compare("bank: nothing recorded", idle.bank, off.bank);
	compare("bank: two clock readings", off.bank_with_clock, off.bank);
	if (stmlog_open(&setup) != 0)
		return 1;
	recorded.begin();
	compare("tiny: recorded", recorded.tiny, off.tiny);
	compare("bank: recorded", recorded.bank, off.bank);
	stmlog_timeline_start();
	compare("tiny: all on, with timeline", recorded.tiny, off.tiny);
	compare("bank: all on, with timeline", recorded.bank, off.bank);
	stmlog_timeline_stop();
	return 0;
}
