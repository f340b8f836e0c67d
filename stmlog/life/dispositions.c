/* SPDX-License-Identifier: MIT
 * Remembers for each signal the handler of the library, and shows the default action in its place. */
#include "dispositions.h"

#include <stdbool.h>
#include <stddef.h>

#include <atomic_ops.h>

static stmlog_sigaction_function system_sigaction = sigaction;

/* For each signal the action that the library has set; read by any thread, within signal handlers, too. An entry is
 * complete before it is in force, and does not change while it is. */
static struct disposition {
	volatile AO_t is_in_force;
	struct sigaction action;
} ours[NSIG];

void dispositions_use(stmlog_sigaction_function real)
{
	system_sigaction = real != NULL ? real : sigaction;
}

void dispositions_set(int number, dispositions_handler *handler, const sigset_t *mask)
{
	struct sigaction was;
	struct disposition *entry = &ours[number];
	if (AO_load(&entry->is_in_force))
		return;
	entry->action = (struct sigaction){.sa_sigaction = handler, .sa_flags = SA_RESTART | SA_ONSTACK | SA_SIGINFO};
	if (mask != NULL)
		entry->action.sa_mask = *mask;
	if (system_sigaction(number, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
		system_sigaction(number, &entry->action, NULL);
	AO_store_release(&entry->is_in_force, 1); /* partner: the load in in_force() */
}

void dispositions_unset(int number, dispositions_handler *handler)
{
	struct sigaction now;
	if (ours[number].action.sa_sigaction == handler)
		AO_store(&ours[number].is_in_force, 0);
	if (system_sigaction(number, NULL, &now) == 0 && now.sa_sigaction == handler)
		dispositions_reset(number);
}

void dispositions_reset(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	system_sigaction(number, &action, NULL);
}

/* ---- for the program ---- */

static const struct disposition *in_force(int number)
{
	bool is_there = number > 0 && number < NSIG && AO_load_acquire(&ours[number].is_in_force) != 0;
	return is_there ? &ours[number] : NULL;
}

static bool is_handler(const struct sigaction *action, const struct disposition *entry)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == entry->action.sa_sigaction;
}

int stmlog_sigaction(stmlog_sigaction_function real, int number, const struct sigaction *action, struct sigaction *old)
{
	const struct disposition *entry = in_force(number);
	struct sigaction was;
	const struct sigaction unset = {.sa_handler = SIG_DFL};
	if (entry == NULL)
		return real(number, action, old);
	bool is_default = action != NULL && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
	int error = real(number, is_default ? &entry->action : action, &was);
	if (error == 0 && old != NULL)
		*old = is_handler(&was, entry) ? unset : was;
	return error;
}
