/* SPDX-License-Identifier: MIT
 *
 * Finds the culprit of a failed attempt: chooses the evidence by libitm's reason, searches the rings of other threads
 * (culprit.c), and makes a traceback of the write that was found.
 */
#include "blame.h"

#include "agent.h"
#include "bursts.h"
#include "cause.h"
#include "culprit.h"
#include "plain.h"
#include "stacks.h"
#include "stamp.h"
#include "thread.h"

/* Further reads are not recorded. libitm checks reads in their order, so the first ones matter most. */
#define READS 4096

/* The large members are last: most attempts read little, so that they share the first page. */
struct itm_memory {
	struct itm_culprit culprit;
	struct itm_seen seen;         /* the lock, when the attempt failed */
	bool is_whole;                /* all writes of others have been recorded since the attempt began (bursts.h) */
	struct itm_read reads[READS]; /* the first place is not used */
	uint64_t scratch[ITM_LOCKS / 64]; /* all 0 but during a search */
};

void itm_blame_see_words(struct itm_thread *self, const volatile AO_t *table)
{
	bool is_short = table == NULL && itm_agent.options.sample == 1;
	self->word_table = table;
	self->reads_limit = is_short ? self->reads_end : NULL;
}

static void note_reads(struct itm_thread *self, struct itm_read *reads, size_t len)
{
	self->reads_at = reads;
	self->reads_end = reads + len;
	itm_blame_see_words(self, NULL);
}

void itm_blame_join_ring(void)
{
	struct itm_thread *self = &itm_self;
	struct itm_ring *ring = itm_ring_acquire(stmlog_thread_id(self->thread));
	self->ring = ring != NULL ? ring : &itm_ring_dummy;
	itm_plain_joined();
}

size_t itm_blame_size(void)
{
	return sizeof(struct itm_memory);
}

void itm_blame_create(void *memory)
{
	struct itm_thread *self = &itm_self;
	self->memory = memory;
	self->memory->culprit = (struct itm_culprit){.ring = NULL};
	self->memory->seen = (struct itm_seen){.address = 0};
	self->memory->is_whole = false;
	note_reads(self, self->memory->reads, READS);
}

void itm_blame_destroy(struct tb_stack *stack)
{
	struct itm_thread *self = &itm_self;
	note_reads(self, &itm_reads_dummy, 1);
	self->memory = NULL;
	if (self->blamed != NULL)
		tb_unref(stack, self->blamed);
	self->blamed = NULL;
}

void itm_blame_leave_ring(void)
{
	struct itm_thread *self = &itm_self;
	if (self->ring != &itm_ring_dummy)
		itm_ring_release(self->ring);
	self->ring = &itm_ring_dummy;
}

/* Whether the data barriers of the transaction under way record what it accesses. */
static bool has_accesses(const struct itm_thread *self)
{
	return self->memory != NULL && !(self->flags & ITM_BARE) && !itm_bursts_was_cut(self->ring);
}

void itm_blame_begin(void)
{
	struct itm_thread *self = &itm_self;
	if (!has_accesses(self))
		return;
	self->memory->is_whole = AO_load_acquire(&itm_bursts.is_whole) != 0;
	self->reads_at = self->memory->reads;
	self->lock_word = 0;
	self->began = itm_stamp();
}

size_t itm_blame_reads(const struct itm_thread *self)
{
	return has_accesses(self) ? (size_t)(self->reads_at - self->memory->reads) : 0;
}

void itm_blame_note_read(struct itm_thread *self)
{
	uintptr_t slot = (uintptr_t)self->slot;
	if (!(slot & ITM_SLOT_OF_READ))
		return;
	self->slot = (uintptr_t *)(slot - ITM_SLOT_OF_READ);
	self->kind = ITM_KIND_READ;
	struct itm_range read = itm_read_range(self->reads_at);
	self->address = read.address;
	self->size = (uint16_t)read.size;
}

/* ---- the search ---- */

/* The range of the access that failed. */
static struct itm_range access_of(const struct itm_thread *self, enum itm_reason reason)
{
	size_t size = self->size == ITM_SIZE_ARGUMENT ? self->length : self->size;
	bool is_source = self->kind == ITM_KIND_COPY && reason == ITM_REASON_LOCKED_READ;
	return (struct itm_range){is_source ? self->source : self->address, size};
}

/* The reason is not known yet. If the access was a copy, only the lock of its write is looked at. */
void itm_blame_look(void)
{
	struct itm_thread *self = &itm_self;
	if (!has_accesses(self))
		return;
	struct itm_range range = access_of(self, ITM_REASON_LOCKED_WRITE);
	self->memory->seen = itm_kind_is_data(self->kind) && self->lock_table != NULL
				     ? itm_culprit_look(self->lock_table, range, (uintptr_t)itm_transaction())
				     : (struct itm_seen){.address = 0};
}

static struct itm_culprit search(const struct itm_thread *self, const struct itm_victim *victim,
	enum itm_evidence evidence, struct itm_range range)
{
	struct itm_memory *memory = self->memory;
	if (evidence == ITM_EVIDENCE_LOCK)
		return itm_culprit_of_lock(victim, range, range.address == self->address ? self->lock_word : 0);
	size_t len = (size_t)(self->reads_at - memory->reads);
	const struct itm_reads reads = {memory->reads + 1, len, len == READS - 1};
	return itm_culprit_of_reads(victim, reads, memory->scratch);
}

/* ---- the result ---- */

/* A frame that says why the place of the write is not known. */
static const struct tb_place holder = {"(holder: its write was not recorded)", "", 0};

/* The place of the write if it is known, its callers if they were recorded, and where its transaction began. Borrowed.
 */
static struct tb_frame *traceback_of(const struct itm_culprit *culprit)
{
	uintptr_t places[TB_COPY_FRAMES];
	size_t written = culprit->write.site != 0;
	places[0] = culprit->write.site;
	places[written] = culprit->site;
	uint32_t context = culprit->write.context;
	size_t len = itm_callers_of(culprit->ring, context, places + written, TB_COPY_FRAMES - written);
	len = written + (len != 0 ? len : culprit->site != 0);
	struct tb_site sites[TB_COPY_FRAMES + 1];
	for (size_t i = 0; i < len; i++)
		sites[i] = tb_site_make(TB_CODE_ADDRESS, places[i]);
	if (!written)
		sites[len++] = tb_place_site(&holder);
	size_t max = itm_agent.options.depth;
	return itm_remote_traceback(sites, len < max ? len : max);
}

static void build_blamed(struct itm_thread *self)
{
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	if (self->blamed != NULL)
		tb_unref(stack, self->blamed);
	const struct itm_culprit *culprit = &self->memory->culprit;
	self->blamed = culprit->ring != NULL ? tb_ref(traceback_of(culprit)) : NULL;
}

static bool is_innermost(const struct tb_frame *local, uintptr_t site)
{
	return tb_is_frame(local) && tb_frame_site(local).position == site;
}

static void fill_in(const struct itm_thread *self, const struct itm_culprit *culprit, struct stmlog_loss *loss)
{
	loss->remote = self->blamed;
	loss->remote_thread = culprit->thread;
	loss->grade = culprit->grade;
	loss->overlap = culprit->overlap;
	loss->object = culprit->mine.address;
	if (culprit->overlap != STMLOG_OVERLAP_SAME)
		loss->other_object = culprit->write.address;
	else if (culprit->write.address > loss->object)
		loss->object = culprit->write.address; /* the first byte that both have accessed */
	/* libitm finds it out at a later access, or at the commit: the place of the read leads to the data. */
	if (culprit->mine_site != 0 && !is_innermost(loss->local, culprit->mine_site))
		loss->local = itm_trace_read(culprit->mine_site);
}

void itm_blame(enum itm_reason reason, struct stmlog_loss *loss)
{
	struct itm_thread *self = &itm_self;
	enum itm_evidence evidence = itm_evidence_of(self->trace_kind, reason, itm_agent.method);
	if (!has_accesses(self) || evidence == ITM_EVIDENCE_NONE)
		return;
	struct itm_culprit *culprit = &self->memory->culprit;
	struct itm_range range = access_of(self, reason);
	if (evidence == ITM_EVIDENCE_LOCK)
		loss->object = range.address;
	const struct itm_victim victim = {self->ring, self->began, self->memory->seen, !self->memory->is_whole};
	/* A transaction that keeps retrying for a lock finds the same culprit again and again. */
	if (evidence != ITM_EVIDENCE_LOCK || !itm_culprit_holds_still(culprit, range, &victim.seen)) {
		stmlog_failed(self->thread);
		*culprit = search(self, &victim, evidence, range);
		build_blamed(self);
	}
	/* Two things must be known for certainty: libitm's reason, without which the lock is only the likeliest
	 * evidence; and that libitm has the hash that the lock was computed by, which is so if its locks were found. */
	bool can_be_certain = reason != ITM_REASONS && itm_locks.table != NULL;
	if (self->blamed != NULL)
		fill_in(self, culprit, loss);
	else if (culprit->is_nobody && can_be_certain)
		loss->cause.contention = STMLOG_NONE;
	if (!can_be_certain && loss->grade == STMLOG_GRADE_CERTAIN)
		loss->grade = STMLOG_GRADE_CANDIDATE;
}
