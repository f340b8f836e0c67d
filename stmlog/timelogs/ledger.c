/* SPDX-License-Identifier: MIT
 * Records losses into a ledger (the owner), and reads them from another thread (readers). NOTES.txt, claims L1 to L5,
 * has the argument. */
#include "ledger.h"

#include <errno.h>
#include <sched.h>

#include "clock.h"
#include "locks.h"
#include "mem.h"

/* How long a reader waits for the owner. */
#define INSIDE_MAX_NS UINT64_C(1000000000)

/* How many groups a detour keeps; further groups are evicted into its exact totals, as in any timelog. */
#define DETOUR_CAPACITY 64

static struct detour *detour_create(struct tb_stack *stack)
{
	struct detour *detour = mem_alloc(sizeof *detour);
	if (detour == NULL)
		return NULL;
	detour->log = timelog_create(DETOUR_CAPACITY, stack);
	if (detour->log == NULL) {
		mem_free(detour, sizeof *detour);
		return NULL;
	}
	return detour;
}

static void detour_destroy(struct detour *detour)
{
	timelog_destroy(&detour->log);
	mem_free(detour, sizeof *detour);
}

static void push(struct detour **list, struct detour *detour)
{
	detour->next = *list;
	*list = detour;
}

static struct detour *pop(struct detour **list)
{
	struct detour *detour = *list;
	if (detour != NULL)
		*list = detour->next;
	return detour;
}

static void destroy_all(struct detour **list)
{
	struct detour *detour;
	while ((detour = pop(list)) != NULL)
		detour_destroy(detour);
}

void ledger_init(struct ledger *ledger, struct tb_stack *stack)
{
	AO_store(&ledger->is_inside, 0);
	AO_store(&ledger->detour, 0);
	ledger->direct = 0;
	ledger->active = NULL;
	ledger->unread = ledger->left = ledger->spent = NULL;
	ledger->stack = stack;
	pthread_mutex_init(&ledger->readers, NULL);
	ledger->pending.len = 0; /* the items are not touched */
	ledger->pending.last = NULL;
}

/* ---- owner, inside ---- */

void ledger_copy_account(struct detour *detour, const struct account *account)
{
	if (AO_load(&detour->is_used) != 0)
		return;
	detour->account = *account;
	/* Release; partner: ledger_account_before_detour(). A reader that sees a change of the account by this loss, or
	 * a later one, sees this store too. */
	AO_store_release(&detour->is_used, 1);
}

static void hand_to_active(struct ledger *ledger, const struct group *group)
{
	for (struct stmlog_timelog *log = ledger->active; log != NULL; log = log->next)
		timelog_add(log, group);
}

static void hand_over(struct ledger *ledger, struct pending_item *item)
{
	ledger->pending.last = NULL;
	if (item->cascade.len != 0)
		cascade_close(&item->cascade, &item->group.entry);
	hand_to_active(ledger, &item->group);
	group_fini(&item->group, ledger->stack);
}

static void empty_pending(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->pending.len; i++)
		hand_over(ledger, &ledger->pending.items[i]);
	ledger->pending.len = 0;
}

/* Moves the detours that the owner might still have used to the list of unread ones. Called while the owner is not
 * inside, or by the owner. */
static void collect_left(struct ledger *ledger)
{
	struct detour *detour;
	while ((detour = pop(&ledger->left)) != NULL)
		push(&ledger->unread, detour);
}

/* Hands over the groups whose culprits' outcomes are all known. The other groups stay while there is room. */
static void empty_decided(struct ledger *ledger)
{
	struct pending *pending = &ledger->pending;
	size_t kept = 0;
	for (size_t i = 0; i < pending->len; i++) {
		struct pending_item *item = &pending->items[i];
		if (item->cascade.len != 0 && cascade_decide(&item->cascade, &item->group.entry))
			pending_move(pending, kept++, i);
		else
			hand_over(ledger, item);
	}
	pending->len = kept;
}

static bool is_empty(const struct stmlog_timelog *log)
{
	return log->len == 0 && timelog_recorded(log).count == 0;
}

static void merge_into_active(struct ledger *ledger, struct stmlog_timelog *from)
{
	for (struct stmlog_timelog *log = ledger->active; log != NULL; log = log->next)
		timelog_merge(log, from);
	timelog_clear(from);
}

/* Merges the losses that were recorded into detours into the active timelogs (claim L4). An empty detour leaves the
 * timelogs as they are, so that a reader does not void the owner's cursors. */
static void empty_unread(struct ledger *ledger)
{
	struct detour *detour;
	while ((detour = pop(&ledger->unread)) != NULL) {
		if (!is_empty(detour->log))
			merge_into_active(ledger, detour->log);
		push(&ledger->spent, detour);
	}
}

/* Whether the loss can be added to the timelog at once, without a pending group: to timelog_last(), since one of its
 * latest groups has the loss's key, and no outcome of a culprit is awaited. Most aborted transactions abort once, and
 * so need no pending group. The further losses of a transaction are collected in a pending group, because that is
 * cheaper from the second loss on. */
static bool can_be_direct(struct ledger *ledger, const struct measured_loss *measured)
{
	bool is_plain =
		measured->remote_copy == NULL && measured->culprit.attempts == NULL && measured->weight.extra == 0;
	if (!is_plain || ledger->pending.len != 0 || ledger->active->next != NULL ||
		ledger->direct == measured->weight.transaction)
		return false;
	return timelog_select(ledger->active, measured->loss);
}

static void put_pending(struct ledger *ledger, const struct measured_loss *measured)
{
	struct pending_item *spilled = pending_in_the_way(&ledger->pending, measured);
	if (STMLOG_UNLIKELY(spilled != NULL))
		hand_over(ledger, spilled);
	pending_add(&ledger->pending, measured, timelog_last(ledger->active));
}

void ledger_put(struct ledger *ledger, struct detour *detour, const struct measured_loss *measured)
{
	REQUIRES(AO_load(&ledger->is_inside) != 0);
	if (STMLOG_UNLIKELY(detour != NULL)) {
		timelog_add_loss(detour->log, measured);
		return;
	}
	if (STMLOG_UNLIKELY(ledger->unread != NULL))
		empty_unread(ledger);
	if (ledger->active == NULL)
		return;
	if (can_be_direct(ledger, measured)) {
		timelog_add_to_last(ledger->active, measured);
		ledger->direct = measured->weight.transaction;
	} else {
		put_pending(ledger, measured);
	}
}

void ledger_hand_over(struct ledger *ledger)
{
	/* While a reader holds the ledger the groups stay pending: the reader reads them there. */
	if (ledger_enter(ledger) == NULL)
		empty_decided(ledger);
	ledger_leave(ledger);
}

/* ---- owner, rare operations ---- */

void ledger_lock(struct ledger *ledger)
{
	locks_lock(&ledger->readers);
}

void ledger_unlock(struct ledger *ledger)
{
	locks_unlock(&ledger->readers);
}

void ledger_settle(struct ledger *ledger)
{
	collect_left(ledger);
	empty_unread(ledger);
	empty_pending(ledger);
}

void ledger_activate(struct ledger *ledger, struct stmlog_timelog *log)
{
	ledger_settle(ledger);
	log->next = ledger->active;
	ledger->active = log;
	log->is_active = true;
}

void ledger_deactivate(struct ledger *ledger, struct stmlog_timelog *log)
{
	ledger_settle(ledger);
	struct stmlog_timelog **link = &ledger->active;
	while (*link != log)
		link = &(*link)->next;
	*link = log->next;
	log->is_active = false;
}

void ledger_fini(struct ledger *ledger)
{
	REQUIRES(ledger->active == NULL);
	ledger_settle(ledger);
	destroy_all(&ledger->spent);
	pthread_mutex_destroy(&ledger->readers);
}

/* ---- readers ---- */

/* Waits until the owner is outside. That takes less than a microsecond or, if the owner is preempted inside, a time
 * slice. Returns false if the owner stays inside for a second: it has crashed there, or a signal handler that has
 * interrupted it there does not return. If all other threads were killed (locks_are_abandoned()), an owner that was
 * inside will not go on: the loss that it was recording may be recorded in part. */
static bool wait_until_outside(const struct ledger *ledger)
{
	uint64_t begin_ns = clock_monotonic_ns();
	/* Acquire; partner: ledger_leave(). From here on all that the owner did inside is visible. */
	while (AO_load_acquire(&ledger->is_inside) != 0 && !locks_are_abandoned()) {
		if (clock_monotonic_ns() - begin_ns > INSIDE_MAX_NS)
			return false;
		sched_yield();
	}
	return true;
}

/* Destroys detours of earlier readers that are still empty: otherwise each reading of an idle thread would add one. */
static void drop_empty_unread(struct ledger *ledger)
{
	struct detour *detour, **link = &ledger->unread;
	while ((detour = *link) != NULL) {
		if (is_empty(detour->log)) {
			*link = detour->next;
			detour_destroy(detour);
		} else {
			link = &detour->next;
		}
	}
}

/* Ends a failed hold. Without the kernel's barrier, or if the owner stays inside, the owner may still record into the
 * detour, so the detour is kept. */
static void leave_detour(struct ledger *ledger, struct detour *detour)
{
	push(&ledger->left, detour);
	AO_store_release(&ledger->detour, 0);
	ledger_unlock(ledger);
}

int ledger_hold(struct ledger *ledger, bool is_own)
{
	if (is_own && AO_load(&ledger->is_inside) != 0)
		return -EBUSY;
	if (fence_is_refused())
		return -EPERM;
	struct detour *detour = detour_create(ledger->stack);
	if (detour == NULL)
		return -ENOMEM;
	ledger_lock(ledger);
	AO_store_release(&ledger->detour, (AO_t)detour);
	if (!fence_heavy()) { /* partner: ledger_enter() */
		leave_detour(ledger, detour);
		return -EPERM;
	}
	if (!wait_until_outside(ledger)) {
		leave_detour(ledger, detour);
		return -ETIMEDOUT;
	}
	collect_left(ledger);
	drop_empty_unread(ledger); /* from here on only the reader uses the ledger (claim L1) */
	return 0;
}

void ledger_release(struct ledger *ledger)
{
	destroy_all(&ledger->spent);
	push(&ledger->unread, (struct detour *)AO_load(&ledger->detour));
	/* Release; partner: the acquiring load in ledger_enter(). The owner uses its ledger again only after all loads
	 * above, and finds the detour in `unread`. */
	AO_store_release(&ledger->detour, 0);
	ledger_unlock(ledger);
}

/* Adds a copy of the item, in which aborts whose culprits are still under way are undecided. The owner's item stays
 * unchanged. */
static void read_item(const struct pending_item *item, struct stmlog_timelog *into)
{
	struct group group = item->group;
	struct cascade cascade = item->cascade;
	cascade_close(&cascade, &group.entry);
	if (!locks_are_abandoned() || group_mend(&group))
		timelog_add_foreign(into, &group);
}

void ledger_read(const struct ledger *ledger, struct stmlog_timelog *log, struct stmlog_timelog *into)
{
	REQUIRES(AO_load(&ledger->detour) != 0);
	const struct detour *detour = (const struct detour *)AO_load(&ledger->detour);
	timelog_merge_foreign(into, log);
	if (!log->is_active)
		return;
	for (size_t i = 0; i < ledger->pending.len; i++)
		read_item(&ledger->pending.items[i], into);
	for (const struct detour *old = ledger->unread; old != NULL; old = old->next)
		if (old != detour)
			timelog_merge_foreign(into, old->log);
}
