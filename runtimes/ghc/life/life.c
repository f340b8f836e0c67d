/* SPDX-License-Identifier: MIT
 * Opens the module when the process starts, and clears its data in forked children. Capabilities and Haskell threads
 * need no such steps: the hooks find them when they transact. */
#include <errno.h>
#include <pthread.h>

#include "blocked.h"
#include "capability.h"
#include "real.h"
#include "tvars.h"
#include "lane.h"
#include "ghc_hooks.h"
#include "leave.h"
#include "sampling.h"
#include "environment.h"

static void know_rts(void)
{
	ghc_rts.is_threaded = ghc_real.supports_bound_threads() != 0;
	ghc_rts.entry_size = sizeof(struct hs_entry) + (ghc_rts.is_threaded ? sizeof(uint64_t) : 0);
	ghc_rts.no_trec = ghc_real.no_trec;
}

static void after_fork_in_child(void)
{
	lanes_after_fork();
	capabilities_after_fork();
	blocked_after_fork();
	objects_after_fork();
	labels_after_fork();
	leave_after_fork();
}

static void before_report(void *unused)
{
	(void)unused;
	stmlog_set_fact("blocked_spurious", blocked_spurious());
}

static void open_module(void)
{
	struct stmlog_setup setup = {.runtime = "ghc",
		.name_object = objects_name,
		.before_report = before_report,
		.find_block = objects_find_block,
		.has_paths = true};
	if (!ghc_rts_is_known(ghc_real.atomically, (const unsigned char *)(uintptr_t)ghc_real.start)) {
		native_warn("nothing is recorded: the run-time system of this GHC is not known; build the program "
			    "with GHC 9.0 to 9.6 or 9.10, without -prof");
		stmlog_refused();
		return;
	}
	know_rts();
	int error = stmlog_open(&setup);
	if (error != 0 && error != -EALREADY)
		return;
	sampling_open();
	stmlog_set_word("method", ghc_rts.is_threaded ? "threaded" : "one OS thread");
	pthread_atfork(NULL, NULL, after_fork_in_child);
	leave_open();
	creation_note(ghc_real.new_tvar);
	hooks_set();
}

/* Before any Haskell code runs, and behind standard_error_note() of the library, which warnings need. */
__attribute__((constructor(102))) static void at_load(void)
{
	int saved = errno;
	if (ghc_real_find()) {
		hooks_clear();
		open_module();
	}
	errno = saved;
}
