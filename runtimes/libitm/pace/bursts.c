/* SPDX-License-Identifier: MIT
 * Begins and ends bursts: decides when, and points the modules' slots at the hooks or at libitm's functions. */
#include "bursts.h"

#include <sched.h>

#include <stmlog/agent.h>

#include "entries.h"
#include "pace.h"
#include "phases.h"

struct itm_bursts itm_bursts = {.is_open = 1, .is_due = 1, .is_whole = 1, .is_ready = 1};

/* A burst that threads have asked for lasts this long after the last of them has asked. */
#define ASKED_NS UINT64_C(2000000)

/* How long a burst for a transaction that starves lasts, and the least time between two such bursts. */
#define STARVED_NS UINT64_C(50000)
#define STARVED_EACH_NS UINT64_C(100000000)

/* As ASKED_NS, where there is one burst: time enough for threads that begin together to see each other. */
#define ASKED_ALONE_NS UINT64_C(5000000)

/* Slots that the loader has bound since the last burst, at their first use, call the hooks. All slots are pointed at
 * libitm's functions anew after this time. */
#define POINTED_NS UINT64_C(4000000)

/* Where transactions take so long that a burst is not whole before a quarter of it has passed, bursts and periods
 * become twice as long; if that does not help any more, there are no bursts. */
#define SCALES 5

/* `switching`: not 0 while a thread changes the slots; the others do not wait for it. Only that thread uses `scale` and
 * the members from opened_ns on. Any thread stores the others; a store of asked_ns that is lost is made up for by the
 * next. */
static struct {
	volatile AO_t switching;
	volatile AO_t asked_ns;              /* until when threads have asked for a burst */
	volatile AO_t first_ask_ns, asks_ns; /* of itm_bursts_ask(): the first call; time asked for, or late */
	volatile AO_t starved_ns;            /* when itm_bursts_ask_starving() has opened a burst last */
	volatile AO_t scale;
	uint64_t opened_ns, pointed_ns;
	uint64_t overdue_ns;             /* when the burst is cut; 0: it is not late */
	const struct itm_ring *unseen;   /* no ring before this one has an unseen transaction under way */
	const struct itm_ring *measured; /* the ring that needed the burst last; NULL: none */
	uint32_t processors;             /* constant once there are bursts */
	bool is_regular;                 /* the burst was not asked for */
	bool is_crowded;                 /* itm_is_crowd() of the transactions that were under way when it began */
} state;

/* The calling thread is switching: a signal handler may fork in the middle of that. */
static __thread bool is_switching __attribute__((tls_model("initial-exec")));

void itm_bursts_prepare(enum itm_bursts_use use, uint32_t processors)
{
	state.processors = processors;
	AO_store(&itm_bursts.use, use);
}

/* ---- when ---- */

/* The beginning of a period's burst, hashed from the period's number. */
static uint64_t begins_ns(uint64_t period, uint64_t period_ns)
{
	uint64_t hash = (period + 1) * UINT64_C(0xd6e8feb86659fd93);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (hash ^ hash >> 29) % (period_ns - ITM_BURST_OF(period_ns) + 1);
}

static bool is_time(uint64_t now_ns)
{
	uint64_t period_ns = ITM_BURST_PERIOD_NS << AO_load(&state.scale), period = now_ns / period_ns;
	return now_ns % period_ns - begins_ns(period, period_ns) < ITM_BURST_OF(period_ns) && !itm_phase_is_off(now_ns);
}

/* ---- whether it is whole ---- */

/* Remembers the transaction under way of each ring. The slots point at the hooks now. The fence has two partners: the
 * one in libitm's begin, which stands between the ring's `site` and the user's accesses, so that a transaction that is
 * not seen here calls the hooks; and for a thread that gets its ring now, the adding of the ring to the list. */
static void note_unseen(void)
{
	AO_t under_way = 0;
	AO_nop_full();
	state.unseen = itm_ring_first();
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		AO_t completed = AO_load_acquire(&ring->completed);
		bool is_under_way = !(AO_load(&ring->site) & ITM_RING_IS_OVER);
		AO_store(&ring->unseen, is_under_way ? completed : completed - 1);
		under_way += is_under_way && AO_load(&ring->is_owned);
	}
	state.is_crowded = itm_is_crowd(under_way, state.processors);
}

/* Goes on where it ended last: where hundreds of threads wait for a processor, each look would find the same one. */
static bool is_unseen_over(void)
{
	for (; state.unseen != NULL; state.unseen = itm_ring_next(state.unseen))
		if (AO_load_acquire(&state.unseen->completed) == AO_load(&state.unseen->unseen) &&
			AO_load(&state.unseen->is_owned))
			return false;
	return true;
}

static void lengthen(void)
{
	AO_t scale = AO_load(&state.scale);
	if (scale < SCALES)
		AO_store(&state.scale, scale + 1);
	else
		AO_store(&itm_bursts.use, ITM_BURSTS_NONE);
}

static void look_whole(uint64_t now_ns)
{
	uint64_t max_ns = ITM_BURST_OF(ITM_BURST_PERIOD_NS << AO_load(&state.scale)) / 4;
	if (is_unseen_over()) {
		AO_store(&itm_bursts.is_ready, 1);
		AO_store_release(&itm_bursts.is_whole, 1);
	} else if (state.is_regular && now_ns - state.opened_ns > max_ns) {
		state.is_regular = false; /* once for a burst */
		if (state.is_crowded)
			AO_store(&itm_bursts.is_ready, 1);
		else
			lengthen();
	}
}

/* ---- changing the slots ---- */

static void open_burst(uint64_t now_ns)
{
	if (!itm_point_barriers(ITM_BARRIERS_OWN))
		return;
	state.opened_ns = now_ns;
	state.is_regular = AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR && is_time(now_ns);
	note_unseen();
	AO_store_release(&itm_bursts.is_open, 1);
}

static bool is_any_measured(void)
{
	state.measured = itm_ring_first();
	while (state.measured != NULL && !AO_load_acquire(&state.measured->is_burst))
		state.measured = itm_ring_next(state.measured);
	return state.measured != NULL;
}

/* Modules that cannot be changed go on calling the hooks. */
static void point_away(uint64_t now_ns)
{
	state.pointed_ns = now_ns;
	itm_point_barriers(ITM_BARRIERS_REAL);
}

/* How much later than it should a burst ends at most: as much as it should last. */
static uint64_t late_max_ns(void)
{
	return ITM_BURST_OF(ITM_BURST_PERIOD_NS << AO_load(&state.scale));
}

/* The burst is late. Whether it is cut now. */
static bool is_overdue(uint64_t now_ns)
{
	if (state.overdue_ns == 0)
		state.overdue_ns = now_ns + late_max_ns();
	return AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR && now_ns >= state.overdue_ns;
}

/* A burst has ended. If threads have asked for it, the time for which it was late counts as asked for, too. */
static void charge_late(uint64_t now_ns)
{
	uint64_t due_ns = state.overdue_ns - late_max_ns();
	if (!state.is_regular && now_ns > due_ns)
		AO_store(&state.asks_ns, AO_load(&state.asks_ns) + now_ns - due_ns);
}

/* Takes the data barriers from all transactions that are measured closely. One that begins meanwhile finds the burst
 * closed. */
static void cut(void)
{
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		AO_store(&ring->is_burst, 0);
}

/* Whether a transaction under way may rely on the hooks. Where there is one burst, rings do not tell; but while there
 * is one ring, it is that of the calling thread, which is between two transactions. */
static bool is_needed(void)
{
	return AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR ? is_any_measured() : itm_rings_are_several();
}

/* The fence is the partner of that in itm_bursts_enter(): of this thread's store and its look at the rings, and the
 * other's store and its look at is_open, one comes first. Where there is one burst, the other's store is that which
 * adds its ring to the list. */
static void close_burst(uint64_t now_ns)
{
	bool is_cut = is_overdue(now_ns);
	if (!is_cut && state.measured != NULL && AO_load(&state.measured->is_burst))
		return; /* without a look at hundreds of rings, while the thread of this one waits for a processor */
	AO_store(&itm_bursts.is_open, 0);
	AO_nop_full();
	if (is_needed() && !is_cut) {
		AO_store(&itm_bursts.is_open, 1);
		return;
	}
	if (is_cut)
		cut();
	charge_late(now_ns);
	AO_store(&itm_bursts.is_whole, 0);
	AO_store_release(&itm_bursts.is_ready, 0);
	point_away(now_ns);
}

static bool is_due_at(uint64_t now_ns)
{
	switch (AO_load(&itm_bursts.use)) {
	case ITM_BURSTS_REGULAR:
		return itm_rings_are_several() && (now_ns < AO_load(&state.asked_ns) || is_time(now_ns));
	case ITM_BURSTS_ONE:
		return itm_rings_are_several() || now_ns < AO_load(&state.asked_ns);
	default:
		return true;
	}
}

static void look(uint64_t now_ns)
{
	bool is_open = AO_load(&itm_bursts.is_open) != 0, is_due = is_due_at(now_ns);
	if (is_due != (AO_load(&itm_bursts.is_due) != 0))
		AO_store(&itm_bursts.is_due, is_due);
	if (is_due)
		state.overdue_ns = 0;
	if (is_open && !is_due)
		close_burst(now_ns);
	else if (!is_open && is_due)
		open_burst(now_ns);
	else if (!is_open && now_ns - state.pointed_ns > POINTED_NS)
		point_away(now_ns);
	if (AO_load(&itm_bursts.is_open) != 0 && AO_load(&itm_bursts.is_whole) == 0)
		look_whole(now_ns);
}

void itm_bursts_look(uint64_t now_ns, bool is_wanted)
{
	if (AO_load(&itm_bursts.use) == ITM_BURSTS_NONE && AO_load(&itm_bursts.is_whole) != 0)
		return;
	bool is_regular = AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR;
	if (is_wanted)
		AO_store(&state.asked_ns, now_ns + (is_regular ? ASKED_NS : ASKED_ALONE_NS));
	if (AO_load(&state.switching) || !AO_compare_and_swap_full(&state.switching, 0, 1))
		return;
	is_switching = true;
	look(now_ns);
	is_switching = false;
	AO_store_release(&state.switching, 0);
}

/* Bursts that itm_bursts_ask() opens take as much of the time as regular ones, at most. */
static bool may_ask(uint64_t now_ns, uint64_t for_ns)
{
	AO_t first_ns = AO_load(&state.first_ask_ns), taken_ns = AO_load(&state.asks_ns);
	if (first_ns == 0)
		AO_store(&state.first_ask_ns, now_ns - ITM_BURST_WEIGHT * for_ns);
	if (now_ns < AO_load(&state.asked_ns) || taken_ns > (now_ns - first_ns) / ITM_BURST_WEIGHT)
		return false;
	AO_store(&state.asks_ns, taken_ns + for_ns);
	return true;
}

/* The writes of the failed attempt are undone, so the transaction is not one of those whose first writes are missing.
 */
static void ask(struct itm_ring *ring, uint64_t now_ns, uint64_t for_ns)
{
	AO_store(&state.asked_ns, now_ns + for_ns);
	itm_bursts_look(now_ns, false);
	AO_store(&ring->unseen, AO_load(&ring->completed) - 1);
}

void itm_bursts_ask(struct itm_ring *ring, uint64_t now_ns, uint64_t for_ns)
{
	if (itm_bursts_are_used() && may_ask(now_ns, for_ns))
		ask(ring, now_ns, for_ns);
}

bool itm_bursts_ask_starving(struct itm_ring *ring, uint64_t now_ns)
{
	AO_t last_ns = AO_load(&state.starved_ns);
	if (!itm_bursts_are_used() || now_ns < AO_load(&state.asked_ns) || now_ns - last_ns < STARVED_EACH_NS ||
		!AO_compare_and_swap_full(&state.starved_ns, last_ns, now_ns))
		return false;
	ask(ring, now_ns, STARVED_NS);
	return true;
}

void itm_bursts_disable(void)
{
	AO_store(&itm_bursts.use, ITM_BURSTS_NONE);
	AO_store(&itm_bursts.is_due, 1); /* itm_bursts_look() returns at once if the burst is whole */
	itm_bursts_look(stmlog_now_ns(), false);
}

/* ---- measured transactions ---- */

bool itm_bursts_enter(struct itm_ring *ring)
{
	if (AO_load(&itm_bursts.use) == ITM_BURSTS_NONE && AO_load(&itm_bursts.is_whole) != 0)
		return true;
	if (ring == &itm_ring_dummy)
		return false;
	if (AO_load(&itm_bursts.use) == ITM_BURSTS_ONE)
		return AO_load(&itm_bursts.is_open) != 0;
	AO_store(&ring->is_burst, 1);
	AO_nop_full(); /* partner: close_burst() */
	if (AO_load(&itm_bursts.is_open))
		return true;
	AO_store(&ring->is_burst, 0);
	return false;
}

void itm_bursts_leave(struct itm_ring *ring)
{
	AO_store_release(&ring->is_burst, 0); /* partner: is_any_measured() */
}

/* ---- fork ---- */

/* A thread changes the slots in microseconds. It may wait for the loader's lock, which the thread that forks may hold;
 * so the latter does not wait for ever. */
#define YIELDS_MAX 10000

void itm_bursts_before_fork(void)
{
	if (is_switching)
		return;
	for (int i = 0; i < YIELDS_MAX && !AO_compare_and_swap_full(&state.switching, 0, 1); i++)
		sched_yield();
}

void itm_bursts_after_fork(void)
{
	if (!is_switching)
		AO_store_release(&state.switching, 0);
}
