/* SPDX-License-Identifier: MIT
 * Makes sections for one call, and frees them afterwards. */
#include "sections.h"

#include <errno.h>

#include "runtimes.h"
#include "undisturbed.h"

struct order {
	enum sections_use use;
	int (*function)(const struct sections *sections, const void *arg);
	const void *arg;
	int error;
};

static void carry_out(void *arg)
{
	struct order *order = arg;
	struct sections sections;
	order->error = sections_init(&sections, order->use);
	if (order->error != 0)
		return;
	order->error = order->function(&sections, order->arg);
	sections_fini(&sections);
}

int sections_run(
	enum sections_use use, int (*function)(const struct sections *sections, const void *arg), const void *arg)
{
	struct order order = {use, function, arg, 0};
	if (runtimes_refuse_within("stmlog_report or stmlog_record within a callback"))
		return -EDEADLK;
	undisturbed_run(carry_out, &order);
	return order.error;
}
