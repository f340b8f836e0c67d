/* SPDX-License-Identifier: MIT
 *
 * Opens the session with the library, and attaches threads to it. A process without libitm is left alone. If a plugin
 * loads libitm later, the session opens when the first thread that has transacted ends.
 */
#include "passive.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "filter.h"
#include "libitm_layout.h"
#include "loaded.h"
#include "method.h"
#include "real_functions.h"
#include "watch.h"

static __thread struct itm_watched self __attribute__((tls_model("initial-exec")));
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static bool has_key;
static volatile AO_t missed; /* threads that are not watched; any thread adds, read when outputs are made */

static const char *const fact_names[ITM_REASONS] = {
#define REASON(name, contention) "restarts_" #name,
#include "reasons.def"
};

/* ---- the process ---- */

static void before_report(void *unused)
{
	uint64_t sums[ITM_REASONS];
	(void)unused;
	itm_watch_count_all(sums);
	for (size_t i = 0; i < ITM_REASONS; i++)
		stmlog_set_fact(fact_names[i], sums[i]);
	stmlog_set_fact("threads_unseen", AO_load(&missed));
}

static void at_quick_end(void)
{
	stmlog_flush();
}

/* libitm's begin; NULL: no libitm is loaded. */
static const void *find_libitm(void)
{
	return itm_real_if_loaded("_ITM_beginTransaction");
}

/* No report at the end of the process: it would be empty. The recording is for the command. */
static void make_ready(void)
{
	const struct stmlog_setup setup = {.runtime = "libitm", .before_report = before_report, .report = "none"};
	const void *begin = find_libitm();
	if (begin == NULL || stmlog_open(&setup) != 0)
		return;
	itm_agent.libitm = native_module_find(begin);
	const struct itm_options options = itm_options_read(&itm_agent.libitm);
	itm_layout_use(&options.layout);
	bool is_known = itm_counters_are_known();
	itm_watch_allow(is_known);
	stmlog_set_fact("passive", 1);
	stmlog_set_fact("commits_known", 0);
	stmlog_set_fact("counters_known", is_known);
	stmlog_set_word("method", itm_method_name(itm_method_read()));
	itm_agent.pid = getpid();
	AO_store(&itm_agent.has_seen, 1);
	(void)at_quick_exit(at_quick_end); /* without memory the recording of a quick_exit() is lost */
}

/* Opens the session, if there is a libitm and it is not open yet; then attaches the calling thread. */
static void attach(void)
{
	int saved = errno;
	is_inside = true;
	pthread_once(&once, make_ready);
	self.thread = stmlog_thread_open(NULL);
	is_inside = false;
	errno = saved;
}

/* ---- threads ---- */

bool itm_passive_is_inside(void)
{
	return is_inside;
}

void itm_passive_miss(void)
{
	AO_fetch_and_add1(&missed);
}

void itm_passive_enter(void)
{
	if (AO_load(&itm_agent.has_seen))
		attach();
	itm_watch(&self, itm_transaction_slot());
	if (has_key)
		pthread_setspecific(thread_key, &self);
}

void itm_passive_leave(void)
{
	if (itm_transaction() != NULL)
		attach();
	itm_unwatch(&self);
}

/* Ends the watching of the main thread, whose start routine is not hooked; and counts transactions of other threads
 * after their start routine has returned, in destructors of C++'s thread-local objects. The key is older than libitm's,
 * and in practice destructors run in the order of creation. */
static void at_thread_exit(void *unused)
{
	(void)unused;
	struct stmlog_thread *own = stmlog_thread_self(); /* NULL: the library has closed it already */
	itm_passive_leave();
	stmlog_thread_close(&own);
	self.thread = NULL;
}

/* ---- load, unload, fork ---- */

void itm_passive_load(void)
{
	has_key = pthread_key_create(&thread_key, at_thread_exit) == 0;
	if (find_libitm() != NULL)
		attach();
	itm_passive_enter();
}

void itm_passive_unload(void)
{
	itm_passive_leave();
	stmlog_close();
	self.thread = NULL;
}

void itm_passive_after_fork_in_child(void)
{
	itm_watch_after_fork_in_child(&self);
	if (!native_is_filtered())
		itm_agent.pid = getpid();
	AO_store(&missed, 0);
}
