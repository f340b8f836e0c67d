/* SPDX-License-Identifier: MIT
 * Attaches and detaches threads, reuses their records, and keeps the figures and losses of ended threads. */
#include "registry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "locks.h"
#include "mem.h"
#include "off_processor.h"
#include "session.h"

/* The registry keeps at least so many groups of ended threads, and at least as many as one thread keeps. */
#define RETIRED_CAPACITY 1024

#define ENDED_SIZE ((ENDED_MAX + 1) * sizeof(struct thread_figures))

struct registry registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

void registry_lock(void)
{
	forks_look(FORKS_REGISTRY);
	locks_lock(&registry.lock);
}

void registry_unlock(void)
{
	locks_unlock(&registry.lock);
}

bool registry_is_locked(void)
{
	if (pthread_mutex_trylock(&registry.lock) != 0)
		return true;
	pthread_mutex_unlock(&registry.lock);
	return false;
}

/* ---- lists ---- */

/* From the first record on, the links are right at any moment: each change is one store (release; partner:
 * registry_fork_child()). */
static void link_thread(struct stmlog_thread **list, struct stmlog_thread *thread)
{
	thread->next = *list;
	thread->link = list;
	if (thread->next != NULL)
		thread->next->link = &thread->next;
	__atomic_store_n(list, thread, __ATOMIC_RELEASE);
}

static void unlink_thread(struct stmlog_thread *thread)
{
	struct stmlog_thread **link = thread->link;
	if (thread->next != NULL)
		thread->next->link = link;
	thread->link = NULL;
	__atomic_store_n(link, thread->next, __ATOMIC_RELEASE);
}

static void drop_all(struct stmlog_thread **list)
{
	struct stmlog_thread *thread;
	while ((thread = *list) != NULL) {
		unlink_thread(thread);
		thread_destroy(&thread);
	}
}

/* ---- open and close, attach and detach ---- */

int registry_open(size_t capacity)
{
	registry.capacity = capacity;
	registry.stack = tb_stack_create(0);
	if (registry.stack == NULL)
		return -ENOMEM;
	size_t kept = capacity > RETIRED_CAPACITY ? capacity : RETIRED_CAPACITY;
	registry.retired = timelog_create(kept, registry.stack);
	if (registry.retired == NULL)
		goto no_retired;
	registry.ended = mem_alloc(ENDED_SIZE);
	if (registry.ended == NULL)
		goto no_ended;
	registry.last_id = 0;
	registry.ended_len = 0;
	registry.remainder = (struct thread_figures){.id = 0};
	registry.remainder_threads = 0;
	registry.refused = 0;
	return 0;
no_ended:
	timelog_destroy(&registry.retired);
no_retired:
	tb_stack_destroy(&registry.stack);
	return -ENOMEM;
}

bool registry_is_empty(void)
{
	REQUIRES(registry_is_locked());
	return registry.attached == NULL;
}

void registry_close(void)
{
	REQUIRES(registry_is_locked() && registry_is_empty());
	attempts_unpublish_all();
	drop_all(&registry.pool);
	drop_all(&registry.shrunk);
	registry.pooled = 0;
	registry.made = NULL;
	timelog_destroy(&registry.retired);
	tb_stack_destroy(&registry.stack);
	mem_free(registry.ended, ENDED_SIZE);
}

/* Under a seccomp filter no system call is made: the kernel may kill the process for it. */
static uint32_t read_system_id(void)
{
	return AO_load(&session_is_filtered) ? 0 : (uint32_t)gettid();
}

struct thread_identity registry_identify(const char *lane)
{
	struct thread_identity identity = {.is_lane = lane != NULL, .now_ns = clock_now_ns()};
	if (lane != NULL) {
		memcpy(identity.name.text, lane, strnlen(lane, sizeof identity.name.text - 1));
		return identity;
	}
	identity.name = thread_read_name(identity.name);
	identity.system_id = read_system_id();
	return identity;
}

/* Returns a record of an ended thread, one with all of its memory if there is one. NULL: there is none. */
static struct stmlog_thread *pop_free(void)
{
	struct stmlog_thread *thread = registry.pool;
	if (thread != NULL)
		registry.pooled--;
	else
		thread = registry.shrunk;
	if (thread != NULL)
		unlink_thread(thread);
	return thread;
}

/* Returns the record of an ended thread, or a new one. NULL without memory, and if all numbers of threads are used: no
 * number stands for two threads. */
static struct stmlog_thread *alloc_record(void)
{
	if (registry.last_id == UINT32_MAX)
		return NULL;
	struct stmlog_thread *thread = pop_free();
	if (thread != NULL)
		return thread;
	thread = thread_create(registry.capacity);
	if (thread != NULL) {
		thread->made = registry.made;
		registry.made = thread;
	}
	return thread;
}

/* Forgets the losses and the last transaction of the thread that had the record before. */
static void forget_predecessor(struct stmlog_thread *thread)
{
	thread_forget_losses(thread);
	thread->tells_begins = false;
	STMLOG_STORE_RELAXED(&thread->site.code, 0);
	STMLOG_STORE_RELAXED(&thread->site.position, 0);
}

/* Its transactions are measured, until the library chooses. */
static void choose_anew(struct stmlog_thread *thread)
{
	thread->measured = NULL;
	thread->left = 0;
	thread->aborts = 0;
	thread->window = (struct window){.weight = 0};
}

/* Empties the record's figures. A lane is idle at first. */
static void prepare(struct stmlog_thread *thread, const struct thread_identity *identity)
{
	if (thread->origins.base != 0) /* it is that of an earlier thread */
		origin_cache_open(&thread->origins, stmlog_thread_id(thread));
	thread->is_ended = false;
	forget_predecessor(thread);
	AO_store(&thread->tracebacks_unavailable, 0);
	AO_store(&thread->calls_lost, 0);
	AO_store(&thread->origins_made, 0);
	choose_anew(thread);
	AO_store(&thread->origins_timed, 0);
	AO_store(&thread->origins_timed_ns, 0);
	thread->lost_before = tb_stack_lost(thread->stack);
	thread->is_lane = identity->is_lane;
	thread->is_spare = false;
	thread->name = identity->name;
	thread->system_id = identity->system_id;
	off_processor_begin(thread);
	thread->runtime[0] = '\0';
	if (thread->is_lane) {
		account_init_idle(&thread->account, identity->now_ns);
	} else {
		account_init(&thread->account, identity->now_ns);
		tries_reserve(&thread->distribution); /* there may be ten thousand lanes, and most stay idle */
	}
	ledger_lock(&thread->ledger);
	ledger_activate(&thread->ledger, thread->log);
	ledger_unlock(&thread->ledger);
}

struct stmlog_thread *registry_attach(const struct thread_identity *identity)
{
	REQUIRES(registry_is_locked());
	struct stmlog_thread *thread = alloc_record();
	if (thread == NULL) {
		registry.refused++;
		return NULL;
	}
	thread_stay_busy(thread);
	AO_store_release(&thread->id, ++registry.last_id);
	attempts_publish(&thread->attempts, registry.last_id);
	prepare(thread, identity);
	link_thread(&registry.attached, thread);
	thread_leave(thread);
	return thread;
}

void stmlog_set_spare(struct stmlog_thread *lane)
{
	if (lane == NULL)
		return;
	registry_lock();
	lane->is_spare = true;
	registry_unlock();
}

void stmlog_set_runtime(struct stmlog_thread *thread, const char *name)
{
	if (thread == NULL)
		return;
	registry_lock();
	size_t len = name != NULL ? strnlen(name, THREAD_RUNTIME - 1) : 0;
	memset(thread->runtime, 0, THREAD_RUNTIME);
	memcpy(thread->runtime, name != NULL ? name : "", len);
	registry_unlock();
}

bool registry_has(const struct stmlog_thread *thread)
{
	REQUIRES(registry_is_locked());
	return thread->link != NULL;
}

static void end_attempt(struct stmlog_thread *thread)
{
	attempts_end(&thread->attempts);
	origin_cache_clear(&thread->origins, thread->stack);
	tb_unref(thread->stack, thread->place);
	thread->place = TB_UNKNOWN;
	if (account_is_interruption(account_state(&thread->account))) {
		tb_unref(thread->stack, thread->interruption.local);
		tb_unref(thread->stack, thread->interruption.remote);
	}
	tb_unwind(thread->stack, (struct tb_mark){0});
}

static void add_ended(struct stmlog_thread *thread)
{
	struct thread_figures *figures = &registry.ended[registry.ended_len];
	figures_read_last(figures, thread);
	if (registry.ended_len < ENDED_MAX) {
		registry.ended_len++;
	} else {
		figures_add(&registry.remainder, figures);
		registry.remainder_threads++;
	}
}

static void retire(struct stmlog_thread *thread)
{
	thread->is_ended = true;
	if (thread->logs != 0)
		return;
	if (registry.pooled < POOL_MAX) {
		registry.pooled++;
		link_thread(&registry.pool, thread);
	} else {
		thread_shrink(thread);
		link_thread(&registry.shrunk, thread);
	}
}

/* Tracebacks miss the sites of lost pushes: these tracebacks count as unavailable. */
static void count_lost_frames(struct stmlog_thread *thread)
{
	uint64_t lost = tb_stack_lost(thread->stack) - thread->lost_before;
	AO_store(&thread->tracebacks_unavailable, AO_load(&thread->tracebacks_unavailable) + lost);
}

static void deactivate_all(struct ledger *ledger)
{
	ledger_lock(ledger);
	while (ledger->active != NULL)
		ledger_deactivate(ledger, ledger->active);
	ledger_unlock(ledger);
}

void registry_end(struct stmlog_thread *thread)
{
	REQUIRES(thread->is_busy);
	count_lost_frames(thread);
	end_attempt(thread);
	deactivate_all(&thread->ledger);
}

void registry_detach(struct stmlog_thread *thread, struct thread_name name)
{
	REQUIRES(registry_is_locked() && AO_load(&thread->recorder) == 0);
	thread->name = name;
	add_ended(thread);
	timelog_merge_foreign(registry.retired, thread->log);
	timelog_clear(thread->log);
	unlink_thread(thread);
	retire(thread);
}

void registry_own_log(struct stmlog_thread *thread)
{
	registry_lock();
	thread->logs++;
	registry_unlock();
}

void registry_disown_log(struct stmlog_thread *thread)
{
	registry_lock();
	thread->logs--;
	if (thread->is_ended)
		retire(thread);
	registry_unlock();
}

static bool is_idle(const struct stmlog_account *account)
{
	return account->events + account->unmeasured_commits + account->unmeasured_aborts == 0;
}

bool registry_is_idle(void)
{
	struct thread_figures figures;
	registry_lock();
	bool all_idle = is_idle(&registry.remainder.account);
	for (size_t i = 0; i < registry.ended_len && all_idle; i++)
		all_idle = is_idle(&registry.ended[i].account);
	for (struct stmlog_thread *thread = registry.attached; thread != NULL && all_idle; thread = thread->next)
		all_idle = figures_read(&figures, thread) && is_idle(&figures.account);
	registry_unlock();
	return all_idle;
}

uint64_t registry_refused(void)
{
	registry_lock();
	uint64_t refused = registry.refused;
	registry_unlock();
	return refused;
}

static uint64_t unmeasured(const struct stmlog_account *account)
{
	return account->unmeasured_commits + account->unmeasured_aborts;
}

uint64_t registry_unmeasured(void)
{
	struct thread_figures figures;
	REQUIRES(registry_is_locked());
	uint64_t sum = unmeasured(&registry.remainder.account);
	for (size_t i = 0; i < registry.ended_len; i++)
		sum += unmeasured(&registry.ended[i].account);
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next) {
		figures_read(&figures, thread);
		sum += unmeasured(&figures.account);
	}
	return sum;
}

/* A thread that the child does not have was changing what the lock guards. Without memory the losses of ended threads
 * are evicted from now on. */
static void replace_half_changed(void)
{
	pthread_mutex_init(&registry.lock, NULL);
	registry.pool = registry.shrunk = NULL;
	registry.pooled = 0;
	registry.stack = tb_stack_create(0);
	timelog_init(registry.retired, registry.stack != NULL ? registry.retired->capacity : 0, registry.stack);
}

/* Empties the records that are free, and lets the child's outputs read them: its threads will use them. */
static void keep_free(struct stmlog_thread *thread)
{
	for (; thread != NULL; thread = thread->next) {
		tries_clear(&thread->distribution);
		if (thread->paths != NULL)
			paths_clear(thread->paths, thread->stack);
		thread->made = registry.made;
		registry.made = thread;
	}
}

void registry_fork_child(struct stmlog_thread *self)
{
	/* The other threads' records are never used again, because their owners may have been changing them. */
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next)
		thread->link = NULL;
	registry.attached = NULL;
	if (registry_is_locked())
		replace_half_changed();
	timelog_clear(registry.retired);
	registry.ended_len = 0;
	registry.remainder = (struct thread_figures){.id = 0};
	registry.remainder_threads = 0;
	registry.refused = 0;
	registry.made = NULL;
	keep_free(registry.pool);
	keep_free(registry.shrunk);
	if (self == NULL)
		return;
	self->made = registry.made;
	registry.made = self;
	choose_anew(self);
	self->system_id = self->is_lane ? 0 : read_system_id();
	off_processor_forget();
	tries_clear(&self->distribution);
	if (self->paths != NULL)
		paths_clear(self->paths, self->stack);
	pthread_mutex_init(&self->ledger.readers, NULL);
	if (AO_load(&self->ledger.detour) != 0) /* a reader was there, perhaps in the middle of these lists */
		self->ledger.unread = self->ledger.left = self->ledger.spent = NULL;
	AO_store(&self->ledger.detour, 0);
	ledger_settle(&self->ledger);
	timelog_clear(self->log);
	account_restart(&self->account, clock_now_ns());
	link_thread(&registry.attached, self);
}
