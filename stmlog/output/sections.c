/* SPDX-License-Identifier: MIT
 * Collects the data of the process, and makes the sections of a recording from them. */
#include "sections.h"

#include <errno.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "labels.h"
#include "names.h"
#include "registry.h"
#include "runtime_sums.h"
#include "runtimes.h"
#include "session.h"
#include "timeline.h"
#include "undisturbed.h"

_Static_assert(sizeof(struct stmlog_module_record) == 64 && sizeof(struct stmlog_site_record) == 40 &&
		       sizeof(struct stmlog_total_record) == 40 && sizeof(struct stmlog_thread_record) == 520 &&
		       sizeof(struct stmlog_entry_record) == 280 && sizeof(struct stmlog_place_record) == 8 &&
		       sizeof(struct stmlog_event_record) == sizeof(struct stmlog_event) &&
		       sizeof(struct stmlog_blocked_record) == 128,
	"the format's records have no hidden padding");
_Static_assert(STMLOG_CONTENTIONS == 5 && STMLOG_DATA == 4 && STMLOG_OBJECTS == 4,
	"the format has a place for each contention and object");

/* ---- TOTALS ---- */

static void add_total(struct buffer *totals, uint32_t reason, uint32_t contention, const struct stmlog_cost *sum)
{
	struct stmlog_total_record record = {
		reason, contention, sum->count, sum->lost_ns, sum->estimated_ns, sum->variance_ns2};
	buffer_append(totals, &record, sizeof record);
}

static void fill_totals(struct sections *sections)
{
	const struct stmlog_totals *totals = &sections->all.log->totals;
	for (uint32_t r = 0; r < STMLOG_REASONS; r++)
		for (uint32_t c = 0; c < STMLOG_CONTENTIONS; c++)
			if (totals->by_cause[r][c].count != 0)
				add_total(&sections->totals, r, c, &totals->by_cause[r][c]);
	add_total(&sections->totals, UINT32_MAX, UINT32_MAX, &totals->evicted);
}

/* ---- THREADS ---- */

static void add_blocked(struct stmlog_thread_record *record, const struct thread_figures *thread)
{
	const struct stmlog_account *account = &thread->account;
	record->blocked_ns = account->blocked_ns;
	record->blocked = account->blocked;
	record->blocked_in_vain = account->blocked_in_vain;
	record->estimated_blocked_ns = account->estimated_blocked_ns;
	record->blocked_variance_ns2 = thread->spread.variance_ns2[STMLOG_ACCOUNT_BLOCKED];
	record->blocked_doubt_ns = thread->spread.doubt_ns[STMLOG_ACCOUNT_BLOCKED];
	record->blocked_unattached_ns = account->blocked_unattached_ns;
	record->blocked_unattached = account->blocked_unattached;
	record->blocked_unattached_in_vain = account->blocked_unattached_in_vain;
}

static void add_thread(struct sections *sections, const struct thread_figures *thread)
{
	const struct stmlog_account *account = &thread->account;
	char name[sizeof thread->name.text + 1] = "";
	memcpy(name, thread->name.text, sizeof thread->name.text);
	struct stmlog_thread_record record = {
		.id = thread->id,
		.system_id = thread->system_id,
		.name = intern_string(&sections->intern, name),
		.runtime = intern_string(&sections->intern, thread->runtime),
		.flags = (thread->has_ended ? STMLOG_THREAD_ENDED : 0) | (thread->is_spare ? STMLOG_THREAD_SPARE : 0),
		.attached_at_ns = thread->attached_at_ns,
		.attached_ns = account->attached_ns,
		.outside_ns = account->outside_ns,
		.committed_ns = account->committed_ns,
		.paused_ns = account->paused_ns,
		.waiting_inevitable_ns = account->waiting_inevitable_ns,
		.waiting_none_ns = account->waiting_none_ns,
		.other_ns = account->other_ns,
		.open_ns = account->open_ns,
		.descheduled_ns = account->descheduled_ns,
		.descheduled = account->descheduled,
		.commits = account->commits,
		.pauses = account->pauses,
		.waits_inevitable = account->waits_inevitable,
		.waits_none = account->waits_none,
		.others = account->others,
		.events = account->events,
		.unmeasured_commits = account->unmeasured_commits,
		.unmeasured_aborts = account->unmeasured_aborts,
		.estimated_committed_ns = account->estimated_committed_ns,
		.estimated_paused_ns = account->estimated_paused_ns,
		.estimated_waiting_inevitable_ns = account->estimated_waiting_inevitable_ns,
		.estimated_waiting_none_ns = account->estimated_waiting_none_ns,
		.estimated_other_ns = account->estimated_other_ns,
		.aborted_data_ns = account->aborted_ns[STMLOG_DATA],
		.aborts_data = account->aborts[STMLOG_DATA],
		.estimated_aborted_data_ns = account->estimated_aborted_ns[STMLOG_DATA],
	};
	add_blocked(&record, thread);
	memcpy(record.row_variance_ns2, thread->spread.variance_ns2, sizeof record.row_variance_ns2);
	memcpy(record.row_doubt_ns, thread->spread.doubt_ns, sizeof record.row_doubt_ns);
	memcpy(record.aborted_ns, account->aborted_ns, sizeof record.aborted_ns);
	memcpy(record.aborts, account->aborts, sizeof record.aborts);
	memcpy(record.estimated_aborted_ns, account->estimated_aborted_ns, sizeof record.estimated_aborted_ns);
	buffer_append(&sections->threads, &record, sizeof record);
}

/* ---- BLOCKS ----
 *
 * The program runs meanwhile, so two blocks that the runtime finds may overlap. Then the block that was added first
 * counts for all objects in it. */

static struct stmlog_block_record block_at(const struct buffer *blocks, size_t i)
{
	struct stmlog_block_record found;
	memcpy(&found, blocks->bytes + i * sizeof found, sizeof found);
	return found;
}

/* Returns how many blocks begin at the address or below. */
static size_t blocks_up_to(const struct buffer *blocks, uint64_t address)
{
	size_t low = 0, high = blocks->len / sizeof(struct stmlog_block_record);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (block_at(blocks, middle).address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_block(const struct buffer *blocks, size_t at, uint64_t object)
{
	return at > 0 && object - block_at(blocks, at - 1).address < block_at(blocks, at - 1).size;
}

static void insert_block(struct buffer *blocks, size_t at, const struct stmlog_block_record *added)
{
	buffer_append(blocks, added, sizeof *added);
	if (blocks->has_failed)
		return;
	char *place = blocks->bytes + at * sizeof *added;
	memmove(place + sizeof *added, place, blocks->len - (at + 1) * sizeof *added);
	memcpy(place, added, sizeof *added);
}

void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object)
{
	struct stmlog_block block;
	if (blocks->has_failed || has_block(blocks, blocks_up_to(blocks, object), object) ||
		!names_block(object, &block))
		return;
	size_t at = blocks_up_to(blocks, block.start);
	if (at > 0 && block_at(blocks, at - 1).address == block.start)
		return;
	struct stmlog_block_record added = {
		.address = block.start,
		.size = block.size,
		.traceback = intern_copy(intern, &block.allocated),
		.flags = block.is_freed ? STMLOG_BLOCK_FREED : 0,
	};
	insert_block(blocks, at, &added);
}

/* ---- ENTRIES ---- */

static void add_objects(struct intern *intern, const struct stmlog_entry *entry, struct stmlog_entry_record *record)
{
	char name[OBJECT_NAME];
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		record->objects[i].address = entry->objects[i].address;
		record->objects[i].count = entry->objects[i].count;
		record->object_others[i] = entry->objects[i].other;
		names_object(entry->objects[i].address, name);
		record->object_names[i] = intern_string(intern, name);
	}
}

static void add_blocks(struct sections *sections, const struct stmlog_entry *entry)
{
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		blocks_add(&sections->blocks, &sections->intern, entry->objects[i].address);
		blocks_add(&sections->blocks, &sections->intern, entry->objects[i].other);
	}
}

static void add_entry(struct sections *sections, const struct stmlog_entry *entry)
{
	struct intern *intern = &sections->intern;
	struct stmlog_entry_record record = {
		.reason = entry->cause.reason,
		.contention = entry->cause.contention,
		.detail = intern_string(intern, words_text(entry->cause.detail)),
		.grade = entry->grade,
		.local = intern_traceback(intern, entry->local),
		.remote = intern_traceback(intern, entry->remote),
		.local_thread = entry->local_thread,
		.remote_thread = entry->remote_thread,
		.local_green = entry->green,
		.remote_green = entry->remote_green,
		.first_ns = entry->first_ns,
		.last_ns = entry->last_ns,
		.site = entry->site.position != 0 ? intern_site(intern, entry->site) : STMLOG_NO_SITE,
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) .name = entry->name,
#include <stmlog/figures.def>
	};
	add_objects(intern, entry, &record);
	add_blocks(sections, entry);
	buffer_append(&sections->entries, &record, sizeof record);
}

/* ---- PLACES; EVENTS need no section here: the timeline's events are written as they are ---- */

static void add_place(struct sections *sections, const struct stmlog_place *place)
{
	struct tb_copy copy = {.len = place->len, .is_whole = place->is_known && !place->is_cut};
	if (place->len > 0) /* else `sites` may be NULL */
		memcpy(copy.sites, place->sites, place->len * sizeof *place->sites);
	struct stmlog_place_record record = {
		.traceback = intern_copy(&sections->intern, &copy),
		.word = intern_string(&sections->intern, place->word),
	};
	buffer_append(&sections->places, &record, sizeof record);
}

static void add_places(struct sections *sections)
{
	for (size_t i = 0; i < sections->timeline->place_count; i++)
		add_place(sections, &sections->timeline->places[i]);
}

/* ---- all sections ---- */

static void fill(struct sections *sections)
{
	const struct group *group;
	info_fill(sections);
	timelog_arrange(sections->all.log);
	for (size_t rank = 0; (group = timelog_at(sections->all.log, rank)) != NULL; rank++)
		add_entry(sections, &group->entry);
	under_way_record(&sections->intern, &sections->open);
	own_work_copy(&sections->own_work);
	if (sections->use == SECTIONS_OF_REPORT)
		return;
	fill_totals(sections);
	for (size_t i = 0; i < sections->all.threads_len; i++)
		add_thread(sections, &sections->all.threads[i]);
	record_tries(&sections->spent, &sections->intern, &sections->transactions, &sections->blocked);
	green_copy(&sections->green);
	labels_copy(&sections->labels);
	if (sections->timeline != NULL)
		add_places(sections);
	record_paths(&sections->spent, &sections->intern, &sections->paths);
}

static bool has_failed(const struct sections *sections)
{
	return intern_has_failed(&sections->intern) || sections->info.has_failed || sections->totals.has_failed ||
	       sections->threads.has_failed || sections->entries.has_failed || sections->open.has_failed ||
	       sections->blocks.has_failed || sections->places.has_failed || sections->paths.has_failed ||
	       sections->transactions.has_failed || sections->blocked.has_failed || sections->green.has_failed ||
	       sections->own_work.has_failed || sections->labels.has_failed;
}

/* Strings besides those of sites and objects: names of threads and modules, words of causes. */
#define OTHER_STRINGS 8192

static size_t waker_count(const struct spent *spent)
{
	size_t count = 0;
	for (size_t i = 0; i < spent->tries_count; i++)
		for (size_t k = 0; k < STMLOG_WAKERS; k++)
			count += spent->tries[i].blocked.wakers[k].count != 0;
	return count;
}

static void init_intern(struct sections *sections)
{
	size_t entries = sections->all.log->len;
	size_t places = sections->timeline != NULL ? sections->timeline->place_count : 0;
	size_t blocks = runtimes_find_blocks() ? 2 * STMLOG_OBJECTS * entries : 0;
	size_t strings = OTHER_STRINGS + STMLOG_OBJECTS * entries + places;
	/* A row of `tries` has sites and no traceback. Each counts as one traceback here, which has room for it; an
	 * entry has a site, too. */
	size_t sites = sections->spent.tries_count + waker_count(&sections->spent) + entries;
	size_t spent = sections->spent.path_count + sites;
	intern_init(&sections->intern, 2 * entries + blocks + places + spent + 1, session.depth, strings);
}

static int read_timeline(struct sections *sections)
{
	if (!timeline_has_begun())
		return 0;
	sections->timeline = timeline_look();
	return sections->timeline != NULL ? 0 : -ENOMEM;
}

/* Collects the data that the sections are made from. */
static int sections_look(struct sections *sections)
{
	session_before_report();
	int error = gather(&sections->all, session.began_ns);
	if (error != 0)
		return error;
	const struct stmlog_account *all = &sections->all.total.account;
	if (all->unmeasured_commits != 0 || all->unmeasured_aborts != 0)
		session_samples(); /* a runtime is asked for these counts only now (stmlog_read_unmeasured_by()) */
	error = read_timeline(sections);
	if (error == 0)
		error = spent_gather(&sections->spent);
	if (error == 0)
		error = share_rows(&sections->all, &sections->spent);
	if (error == 0)
		return 0;
	spent_fini(&sections->spent);
	stmlog_timeline_destroy(&sections->timeline);
	gathered_fini(&sections->all);
	return error;
}

int sections_init(struct sections *sections, enum sections_use use)
{
	*sections = (struct sections){.use = use};
	if (!session_enter())
		return -EINVAL;
	int error = sections_look(sections);
	if (error != 0) {
		session_leave();
		return error;
	}
	init_intern(sections);
	fill(sections);
	if (!has_failed(sections))
		return 0;
	sections_fini(sections);
	return -ENOMEM;
}

void sections_fini(struct sections *sections)
{
	intern_fini(&sections->intern);
	buffer_fini(&sections->info);
	buffer_fini(&sections->totals);
	buffer_fini(&sections->threads);
	buffer_fini(&sections->entries);
	buffer_fini(&sections->blocks);
	buffer_fini(&sections->places);
	buffer_fini(&sections->paths);
	buffer_fini(&sections->transactions);
	buffer_fini(&sections->blocked);
	buffer_fini(&sections->open);
	buffer_fini(&sections->green);
	buffer_fini(&sections->own_work);
	buffer_fini(&sections->labels);
	spent_fini(&sections->spent);
	stmlog_timeline_destroy(&sections->timeline);
	gathered_fini(&sections->all);
	session_leave();
}

/* ---- sections for one call ---- */

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

/* ---- names that only callbacks of a runtime know, interned before that runtime leaves ---- */

static const char *text(const struct sections *sections, uint32_t offset)
{
	return sections->intern.strings.bytes + offset;
}

static void intern_site_names(const struct sections *sections)
{
	const struct stmlog_site_record *site = (const void *)sections->intern.sites.bytes;
	size_t count = sections->intern.sites.len / sizeof *site;
	for (size_t i = 0; i < count; i++, site++)
		if (site->kind == STMLOG_SITE_OPAQUE && site->function != 0)
			names_intern_site(tb_site_make(site->code, site->position), text(sections, site->function),
				text(sections, site->file), site->line);
}

static void intern_object_names(const struct sections *sections)
{
	const struct stmlog_entry_record *entry = (const void *)sections->entries.bytes;
	size_t count = sections->entries.len / sizeof *entry;
	for (size_t k = 0; k < count; k++, entry++)
		for (size_t i = 0; i < STMLOG_OBJECTS; i++)
			if (entry->object_names[i] != 0)
				names_intern_object(entry->objects[i].address, text(sections, entry->object_names[i]));
}

static int intern_names(const struct sections *sections, const void *unused)
{
	(void)unused;
	intern_site_names(sections);
	intern_object_names(sections);
	return 0;
}

void sections_intern_names(void)
{
	if (AO_load(&session.has_more) || !registry_is_idle())
		sections_run(SECTIONS_OF_FILE, intern_names, NULL);
}
