/* SPDX-License-Identifier: MIT
 * The recording file, written. format.h says what stands where; NOTES.txt, "The file", why. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/format.h>

#include "artifact.h"
#include "blocks.h"
#include "clock.h"
#include "gather.h"
#include "intern.h"
#include "names.h"
#include "out.h"
#include "record_spent.h"
#include "session.h"
#include "timeline.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they lie in memory");
_Static_assert(sizeof(struct stmlog_file_header) == 16 && sizeof(struct stmlog_section_header) == 24 &&
		       sizeof(struct stmlog_module_record) == 64 && sizeof(struct stmlog_site_record) == 40 &&
		       sizeof(struct stmlog_total_record) == 40 && sizeof(struct stmlog_thread_record) == 312 &&
		       sizeof(struct stmlog_entry_record) == 264 && sizeof(struct stmlog_place_record) == 8 &&
		       sizeof(struct stmlog_event_record) == sizeof(struct stmlog_event),
	"the format's records have no hidden padding");
_Static_assert(STMLOG_CONTENTIONS == 5 && STMLOG_DATA == 4 && STMLOG_OBJECTS == 4,
	"the format has a place for each contention and object");

struct recording {
	const struct gathered *all;
	const struct stmlog_timeline *timeline; /* NULL: there is none */
	struct spent *spent;
	struct intern intern;
	struct buffer info;
	struct buffer totals;
	struct buffer threads;
	struct buffer entries;
	struct buffer blocks;
	struct buffer places;
	struct buffer paths;
	struct buffer transactions;
};

/* ---- INFO ---- */

static void say(struct buffer *info, const char *key, const char *value)
{
	buffer_append(info, key, strlen(key));
	buffer_append(info, "=", 1);
	buffer_append(info, value, strlen(value) + 1);
}

static void say_number(struct buffer *info, const char *key, uint64_t number)
{
	char text[24];
	size_t at = sizeof text - 1;
	text[at] = '\0';
	do
		text[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	say(info, key, text + at);
}

/* The program's arguments, as the kernel keeps them. */
static void say_command(struct buffer *info)
{
	char bytes[4096], path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	path[len > 0 ? len : 0] = '\0';
	say(info, "program", path);
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	bool is_in_argument = false;
	while ((len = read(fd, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < len; i++) {
			if (!is_in_argument)
				buffer_append(info, "arg=", 4);
			is_in_argument = bytes[i] != '\0';
			buffer_append(info, &bytes[i], 1);
		}
	}
	if (is_in_argument)
		buffer_append(info, "", 1);
	close(fd);
}

static void say_facts(struct buffer *info)
{
	for (size_t i = 0; i < STMLOG_FACTS; i++) {
		const struct fact *fact = &session.facts[i];
		const char *key = (const char *)AO_load_acquire(&fact->key);
		const char *word = (const char *)AO_load_acquire(&fact->word);
		if (word != NULL)
			say(info, key, word);
		else if (key != NULL)
			say_number(info, key, AO_load_acquire(&fact->value));
	}
}

static uint64_t missing_events(const struct stmlog_timeline *timeline)
{
	uint64_t missing = 0;
	for (size_t i = 0; timeline != NULL && i < timeline->len; i++)
		if (timeline->events[i].kind == STMLOG_EVENT_MISSING)
			missing += timeline->events[i].argument;
	return missing;
}

static void fill_info(struct recording *recording)
{
	struct buffer *info = &recording->info;
	const struct gathered *all = recording->all;
	say(info, "version", STMLOG_VERSION);
	say(info, "runtime", session.setup.runtime);
	say(info, "clock", clock_name());
	say_number(info, "pid", (uint64_t)session.pid);
	say_command(info);
	for (size_t i = 0; i < session.options.len; i++) {
		say(info, "option", session.options.option[i].key);
		say(info, "value", session.options.option[i].value);
	}
	say_number(info, "began_ns", session.began_ns);
	say_number(info, "unix_ns", session.began_unix_ns);
	say_number(info, "wall_ns", all->wall_ns);
	if (session.processors != 0)
		say_number(info, "processors", session.processors);
	say_number(info, "sample_every", AO_load(&session.sample_every));
	say_number(info, "sampled", session_is_sampled());
	say_number(info, "lost_error_ns", (uint64_t)stmlog_root(all->log->totals.variance_ns2));
	say_number(info, "probe_events", all->total.account.events);
	say_number(info, "probe_cost_ns", all->probe_cost_ns);
	say_number(info, "events_missing", missing_events(recording->timeline));
	say_number(info, "events_unrecorded", recording->timeline != NULL ? recording->timeline->unrecorded : 0);
	say_number(info, "tracebacks_unavailable", all->total.tracebacks_unavailable);
	say_number(info, "writes_unrecorded", all->total.writes_unrecorded);
	say_number(info, "wasted_aborts", all->log->totals.wasted.count);
	say_number(info, "wasted_ns", all->log->totals.wasted.lost_ns);
	say_number(info, "undecided_aborts", all->log->totals.undecided);
	say_number(info, "misuses", all->misuses);
	say_number(info, "threads_dropped", all->threads_dropped);
	say_number(info, "logs_unread", all->logs_unread);
	say_number(info, "attaches_refused", all->refused);
	say_facts(info);
}

/* ---- TOTALS ---- */

static void add_total(struct buffer *totals, uint32_t reason, uint32_t contention, const struct stmlog_cost *sum)
{
	struct stmlog_total_record record = {
		reason, contention, sum->count, sum->lost_ns, sum->estimated_ns, sum->variance_ns2};
	buffer_append(totals, &record, sizeof record);
}

static void fill_totals(struct recording *recording)
{
	const struct stmlog_totals *totals = &recording->all->log->totals;
	for (uint32_t r = 0; r < STMLOG_REASONS; r++)
		for (uint32_t c = 0; c < STMLOG_CONTENTIONS; c++)
			if (totals->by_cause[r][c].count != 0)
				add_total(&recording->totals, r, c, &totals->by_cause[r][c]);
	add_total(&recording->totals, UINT32_MAX, UINT32_MAX, &totals->evicted);
}

/* ---- THREADS ---- */

static void add_thread(struct recording *recording, const struct thread_figures *thread)
{
	const struct stmlog_account *account = &thread->account;
	char name[THREAD_NAME + 1] = "";
	memcpy(name, thread->name, THREAD_NAME);
	struct stmlog_thread_record record = {
		.id = thread->id,
		.name = intern_string(&recording->intern, name),
		.flags = thread->has_ended ? STMLOG_THREAD_ENDED : 0,
		.attached_at_ns = thread->attached_at_ns,
		.attached_ns = account->attached_ns,
		.outside_ns = account->outside_ns,
		.committed_ns = account->committed_ns,
		.paused_ns = account->paused_ns,
		.waiting_inevitable_ns = account->waiting_inevitable_ns,
		.waiting_none_ns = account->waiting_none_ns,
		.other_ns = account->other_ns,
		.open_ns = account->open_ns,
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
	memcpy(record.aborted_ns, account->aborted_ns, sizeof record.aborted_ns);
	memcpy(record.aborts, account->aborts, sizeof record.aborts);
	memcpy(record.estimated_aborted_ns, account->estimated_aborted_ns, sizeof record.estimated_aborted_ns);
	buffer_append(&recording->threads, &record, sizeof record);
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

static void add_blocks(struct recording *recording, const struct stmlog_entry *entry)
{
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		blocks_add(&recording->blocks, &recording->intern, entry->objects[i].address);
		blocks_add(&recording->blocks, &recording->intern, entry->objects[i].other);
	}
}

static void add_entry(struct recording *recording, const struct stmlog_entry *entry)
{
	struct intern *intern = &recording->intern;
	struct stmlog_entry_record record = {
		.reason = entry->cause.reason,
		.contention = entry->cause.contention,
		.detail = intern_string(intern, entry->cause.detail),
		.grade = entry->grade,
		.local = intern_traceback(intern, entry->local),
		.remote = intern_traceback(intern, entry->remote),
		.local_thread = entry->local_thread,
		.remote_thread = entry->remote_thread,
		.count = entry->count,
		.lost_ns = entry->lost_ns,
		.overstated_ns = entry->overstated_ns,
		.longest_ns = entry->longest_ns,
		.shortest_ns = entry->shortest_ns,
		.first_ns = entry->first_ns,
		.last_ns = entry->last_ns,
		.false_conflicts = entry->false_conflicts,
		.certain = entry->certain,
		.false_aliases = entry->false_aliases,
		.wasted = entry->wasted,
		.wasted_ns = entry->wasted_ns,
		.undecided = entry->undecided,
		.estimated_ns = entry->estimated_ns,
		.variance_ns2 = entry->variance_ns2,
	};
	add_objects(intern, entry, &record);
	add_blocks(recording, entry);
	buffer_append(&recording->entries, &record, sizeof record);
}

/* ---- PLACES; events are written as they are ---- */

static void add_place(struct recording *recording, const struct stmlog_place *place)
{
	struct tb_copy copy = {.len = place->len, .is_whole = place->is_known && !place->is_cut};
	if (place->len > 0) /* else there may be no sites at all */
		memcpy(copy.sites, place->sites, place->len * sizeof *place->sites);
	struct stmlog_place_record record = {
		.traceback = intern_copy(&recording->intern, &copy),
		.word = intern_string(&recording->intern, place->word),
	};
	buffer_append(&recording->places, &record, sizeof record);
}

static void add_places(struct recording *recording)
{
	for (size_t i = 0; i < recording->timeline->place_count; i++)
		add_place(recording, &recording->timeline->places[i]);
}

/* ---- the whole ---- */

static void fill(struct recording *recording)
{
	const struct group *group;
	fill_info(recording);
	fill_totals(recording);
	for (size_t i = 0; i < recording->all->threads_len; i++)
		add_thread(recording, &recording->all->threads[i]);
	for (size_t rank = 0; (group = timelog_at(recording->all->log, rank)) != NULL; rank++)
		add_entry(recording, &group->entry);
	if (recording->timeline != NULL)
		add_places(recording);
	record_paths(recording->spent, &recording->intern, &recording->paths);
	record_transactions(recording->spent, &recording->intern, &recording->transactions);
}

static bool has_failed(const struct recording *recording)
{
	return intern_has_failed(&recording->intern) || recording->info.has_failed || recording->totals.has_failed ||
	       recording->threads.has_failed || recording->entries.has_failed || recording->blocks.has_failed ||
	       recording->places.has_failed || recording->paths.has_failed || recording->transactions.has_failed;
}

static void write_bytes(struct out *out, uint32_t type, uint32_t record_size, const void *bytes, size_t len)
{
	static const char zeros[8];
	struct stmlog_section_header header = {
		.type = type,
		.record_size = record_size,
		.length = len,
		.payload_crc = len != 0 ? crc32_of(0, bytes, len) : 0,
	};
	header.header_crc = crc32_of(0, &header, sizeof header - sizeof header.header_crc);
	out_bytes(out, &header, sizeof header);
	if (len != 0)
		out_bytes(out, bytes, len);
	out_bytes(out, zeros, (8 - len % 8) % 8);
}

static void write_section(struct out *out, uint32_t type, uint32_t record_size, const struct buffer *payload)
{
	write_bytes(out, type, record_size, payload->bytes, payload->len);
}

static void write_timeline(struct out *out, const struct recording *recording)
{
	const struct stmlog_timeline *timeline = recording->timeline;
	if (timeline == NULL)
		return;
	write_section(out, STMLOG_SECTION_PLACES, sizeof(struct stmlog_place_record), &recording->places);
	write_bytes(out, STMLOG_SECTION_EVENTS, sizeof(struct stmlog_event_record), timeline->events,
		timeline->len * sizeof *timeline->events);
}

static int write_all(const struct recording *recording, int fd)
{
	static const struct stmlog_file_header header = {
		.magic = {'S', 'T', 'M', 'L', 'O', 'G', '\r', '\n'},
		.version = STMLOG_FILE_VERSION,
		.header_size = sizeof header,
	};
	const struct intern *intern = &recording->intern;
	struct out out;
	out_begin(&out, fd);
	out_bytes(&out, &header, sizeof header);
	write_section(&out, STMLOG_SECTION_INFO, 0, &recording->info);
	write_section(&out, STMLOG_SECTION_STRINGS, 0, &intern->strings);
	write_section(&out, STMLOG_SECTION_MODULES, sizeof(struct stmlog_module_record), &intern->modules);
	write_section(&out, STMLOG_SECTION_SITES, sizeof(struct stmlog_site_record), &intern->sites);
	write_section(&out, STMLOG_SECTION_TRACEBACKS, 0, &intern->tracebacks);
	write_section(&out, STMLOG_SECTION_TOTALS, sizeof(struct stmlog_total_record), &recording->totals);
	write_section(&out, STMLOG_SECTION_THREADS, sizeof(struct stmlog_thread_record), &recording->threads);
	write_section(&out, STMLOG_SECTION_ENTRIES, sizeof(struct stmlog_entry_record), &recording->entries);
	write_section(&out, STMLOG_SECTION_BLOCKS, sizeof(struct stmlog_block_record), &recording->blocks);
	write_timeline(&out, recording);
	if (session.has_paths)
		write_section(&out, STMLOG_SECTION_PATHS, sizeof(struct stmlog_path_record), &recording->paths);
	write_section(
		&out, STMLOG_SECTION_TRANSACTIONS, sizeof(struct stmlog_transaction_record), &recording->transactions);
	write_bytes(&out, STMLOG_SECTION_END, 0, NULL, 0);
	return out_end(&out);
}

static int write_beside(const struct recording *recording, const char *path)
{
	struct artifact artifact;
	int error = artifact_begin(&artifact, path);
	if (error != 0)
		return error;
	return artifact_end(&artifact, write_all(recording, artifact.fd));
}

/* Strings besides those of sites and objects: names of threads and modules, words of causes. */
#define OTHER_STRINGS 8192

static void init(struct recording *recording)
{
	size_t entries = recording->all->log->len;
	size_t places = recording->timeline != NULL ? recording->timeline->place_count : 0;
	size_t blocks = session.setup.find_block != NULL ? 2 * STMLOG_OBJECTS * entries : 0;
	size_t strings = OTHER_STRINGS + STMLOG_OBJECTS * entries + places;
	/* A traceback has room for the site of a transaction, too. */
	size_t spent = recording->spent->path_count + recording->spent->tries_count;
	intern_init(&recording->intern, 2 * entries + blocks + places + spent + 1, session.depth, strings);
}

static void fini(struct recording *recording)
{
	intern_fini(&recording->intern);
	buffer_fini(&recording->info);
	buffer_fini(&recording->totals);
	buffer_fini(&recording->threads);
	buffer_fini(&recording->entries);
	buffer_fini(&recording->blocks);
	buffer_fini(&recording->places);
	buffer_fini(&recording->paths);
	buffer_fini(&recording->transactions);
}

static int record(const struct gathered *all, const struct stmlog_timeline *timeline, const char *path)
{
	struct spent spent;
	struct recording recording = {.all = all, .timeline = timeline, .spent = &spent};
	if (spent_gather(&spent) != 0)
		return -ENOMEM;
	init(&recording);
	fill(&recording);
	int error = has_failed(&recording) ? -ENOMEM : write_beside(&recording, path);
	fini(&recording);
	spent_drop(&spent);
	return error;
}

int stmlog_record(const char *path)
{
	struct gathered all;
	if (!session_is_open())
		return -EINVAL;
	session_before_report();
	int error = gather(&all, session.began_ns);
	if (error != 0)
		return error;
	bool has_timeline = timeline_has_begun();
	struct stmlog_timeline *timeline = has_timeline ? timeline_look() : NULL;
	error = has_timeline && timeline == NULL ? -ENOMEM : record(&all, timeline, path);
	stmlog_timeline_destroy(&timeline);
	gathered_drop(&all);
	return error;
}
