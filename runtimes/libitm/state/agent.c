/* SPDX-License-Identifier: MIT
 * The agent's state for the process, and its own options, which are read and checked. */
#include "agent.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/agent.h>

#include "entries.h"
#include "option_values.h"
#include "warning.h"

struct itm_agent itm_agent;

static const volatile unsigned never_held; /* in place of libitm's word, while that is not known or not wanted */
const volatile unsigned *itm_serial_word = &never_held;

/* ---- options ---- */

static bool counters_option(void)
{
	const char *text = stmlog_option("counters");
	if (text == NULL || strcmp(text, "on") == 0)
		return true;
	if (strcmp(text, "off") == 0)
		return false;
	native_warn_of_option("counters", text, "on or off");
	return true;
}

/* The library has this option, too, and has warned already if the value is wrong. */
static uint32_t depth_option(void)
{
	const char *text = stmlog_option("depth");
	uint32_t value = text != NULL ? native_number(text, 4096) : 0;
	return value != 0 ? value : 32;
}

/* With counters=off the layout is treated as unknown. So is it in a set-user-ID process, which must not trust the
 * environment. */
static struct itm_layout layout_option(const struct native_module *libitm)
{
	bool is_wanted = counters_option();
	return itm_layout_read(is_wanted ? secure_getenv(ITM_LAYOUT_VARIABLE) : NULL, libitm);
}

struct itm_options itm_options_read(const struct native_module *libitm)
{
	return (struct itm_options){
		.sample = native_sample(),
		.depth = depth_option(),
		.layout = layout_option(libitm),
	};
}
