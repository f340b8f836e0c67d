/* SPDX-License-Identifier: MIT
 * What everybody may ask of the session; its life is life.c's. */
#include "session.h"

#include <stmlog/runtime.h>

#include "misuse.h"

struct session session;
clock_function *session_clock;

void session_before_report(void)
{
	if (session.setup.before_report != NULL)
		session.setup.before_report(session.setup.before_report_arg);
}

const char *stmlog_option(const char *key)
{
	return options_get(&session.options, key);
}

void stmlog_set_clock(uint64_t (*now_ns)(void))
{
	if (session_is_open())
		misuse_count("stmlog_set_clock after stmlog_open");
	else
		session_clock = now_ns;
}

void stmlog_set_sampling(uint32_t every)
{
	session.sample_every = every;
}
