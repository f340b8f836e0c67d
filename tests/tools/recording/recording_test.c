/* SPDX-License-Identifier: MIT
 * Files that are accepted, files that are refused; and no file, whatever its bytes, crashes the command. */

#include "loaded.h"

#include <valgrind/valgrind.h>

#include "recording_sample.h"
#include "verify.h"

static struct recording recording;
static struct writer writer;

TEST(a_right_recording_is_loaded_whole)
{
	recording_sample(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_string_equal(recording.fault, "");
	assert_int_equal(recording.thread_count, 2);
	assert_int_equal(recording.entry_count, 5);
	assert_int_equal(recording.total_count, 5);
	assert_int_equal(recording.evicted_count, 6);
	assert_int_equal(recording.evicted_lost_ns, 100000);
	assert_string_equal(recording_string(&recording, recording.threads[0].name), "bank");
	struct recording_traceback traceback = recording_traceback(&recording, recording.entries[0].local);
	assert_true(traceback.is_known);
	assert_false(traceback.is_cut);
	assert_int_equal(traceback.len, 3);
	assert_int_equal(recording.sites[traceback.sites[0]].line, 61);
	struct recording_sum total = recording_total(&recording);
	assert_int_equal(total.count, 2057);
	assert_int_equal(total.lost_ns, 5550000);
	recording_fini(&recording);
}

TEST(unknown_and_empty_tracebacks_differ)
{
	recording_sample(&writer);
	load_written(&recording, &writer);
	assert_false(recording_traceback(&recording, 0).is_known);
	assert_true(recording_traceback(&recording, 1).is_known);
	assert_int_equal(recording_traceback(&recording, 1).len, 0);
	recording_fini(&recording);
}

TEST(records_of_a_later_version_are_read_as_far_as_known)
{
	static const uint32_t grown[] = {STMLOG_SECTION_MODULES, STMLOG_SECTION_SITES, STMLOG_SECTION_TOTALS,
		STMLOG_SECTION_THREADS, STMLOG_SECTION_ENTRIES};
	OWNED(recording_fini) struct recording plain;
	recording_sample(&writer);
	assert_int_equal(load_written(&plain, &writer), RECORDING_WHOLE);
	for (uint32_t more = 1; more <= 24; more += 23) {
		recording_sample(&writer);
		/* The records of the sample, each with additional bytes at its end. */
		for (size_t i = 0; i < sizeof grown / sizeof grown[0]; i++) {
			uint32_t type = grown[i];
			size_t size = writer.record_size[type];
			struct writer_blob old = writer.sections[type];
			writer.sections[type] = (struct writer_blob){NULL, 0, 0};
			writer.record_size[type] += more;
			for (size_t at = 0; at < old.len; at += size) {
				writer_append(&writer, type, old.bytes + at, size);
				writer_append(&writer, type, "later version's 24 bytes", more);
			}
			free(old.bytes);
		}
		assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
		assert_memory_equal(recording.entries, plain.entries, 5 * sizeof *plain.entries);
		assert_memory_equal(recording.threads, plain.threads, 2 * sizeof *plain.threads);
		assert_memory_equal(recording.totals, plain.totals, 6 * sizeof *plain.totals);
		assert_memory_equal(recording.sites, plain.sites, 4 * sizeof *plain.sites);
		recording_fini(&recording);
	}
}

/* Makes the records of a section `size` bytes long, shorter than they are. */
static void shorten(uint32_t section, size_t size)
{
	struct writer_blob whole = writer.sections[section];
	size_t stride = writer.record_size[section];
	writer.sections[section] = (struct writer_blob){NULL, 0, 0};
	writer.record_size[section] = (uint32_t)size;
	for (size_t at = 0; at < whole.len; at += stride)
		writer_append(&writer, section, whole.bytes + at, size);
	free(whole.bytes);
}

TEST(a_file_with_no_records_is_right)
{
	writer_init(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_int_equal(recording.info.sample_every, 1);
	assert_string_equal(recording.info.runtime, "");
	recording_fini(&recording);
}

TEST(what_no_report_can_do_without_must_be_there)
{
	static const uint32_t needed[] = {STMLOG_SECTION_INFO, STMLOG_SECTION_TOTALS, STMLOG_SECTION_THREADS};
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
		recording_sample(&writer);
		writer.has[needed[i]] = 0;
		assert_int_equal(load_written(&recording, &writer), RECORDING_UNUSABLE);
		assert_non_null(strstr(recording.fault, "has no section"));
		recording_fini(&recording);
	}
	recording_sample(&writer);
	writer.has[STMLOG_SECTION_ENTRIES] = 0;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	recording_fini(&recording);
}

/* Expects that what the writer holds is refused, for a reason that names `word`. */
static void expect_refusal(const char *word)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_UNUSABLE);
	if (strstr(recording.fault, word) == NULL)
		fail_msg("\"%s\" does not mention \"%s\"", recording.fault, word);
	recording_fini(&recording);
}

/* Expects that the sample is refused after this change. */
#define REFUSES(word, ...) (recording_sample(&writer), (void)(__VA_ARGS__), expect_refusal(word))

TEST(records_of_an_earlier_version_have_zeros_at_their_ends)
{
	struct stmlog_transaction_record record = {
		.site = STMLOG_NO_SITE, .commits = 3, .committed_ns = 5, .reads = 7, .reads_known = 1};
	writer_init(&writer);
	writer_transaction(&writer, &record);
	writer_transaction(&writer, &record);
	shorten(STMLOG_SECTION_TRANSACTIONS, offsetof(struct stmlog_transaction_record, reads));
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	record.reads = record.reads_known = 0;
	assert_int_equal(recording.transaction_count, 2);
	assert_memory_equal(&recording.transactions[0], &record, sizeof record);
	assert_memory_equal(&recording.transactions[1], &record, sizeof record);
	recording_fini(&recording);
	writer_init(&writer);
	writer_transaction(&writer, &record);
	shorten(STMLOG_SECTION_TRANSACTIONS, offsetof(struct stmlog_transaction_record, reads) - 8);
	expect_refusal("'transactions'");
	writer_init(&writer);
	writer_blocked(&writer, &(struct stmlog_blocked_record){.site = STMLOG_NO_SITE, .count = 1, .wakes_known = 1});
	shorten(STMLOG_SECTION_BLOCKED, offsetof(struct stmlog_blocked_record, wakes_known));
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_int_equal(recording.blocked[0].wakes_known, 0);
	recording_fini(&recording);
}

TEST(references_that_lead_nowhere_are_refused)
{
	uint32_t sites[] = {4};
	REFUSES("traceback 2 refers to a site", writer_traceback(&writer, sites, 1, 0));
	REFUSES("site 4 refers to a module", writer_site(&writer, &(struct stmlog_site_record){.module = 1}));
	REFUSES("site 4 refers to a site",
		writer_site(&writer, &(struct stmlog_site_record){.kind = STMLOG_SITE_NAMED, .code = 6}));
	REFUSES("site 4 refers to a site",
		writer_site(&writer, &(struct stmlog_site_record){.kind = STMLOG_SITE_NAMED, .code = 6ull << 32}));
	REFUSES("site 4 refers to a string",
		writer_site(&writer, &(struct stmlog_site_record){.module = STMLOG_NO_MODULE, .file = 1u << 20}));
	REFUSES("module 1 refers to a string",
		writer_module(&writer, &(struct stmlog_module_record){.path = UINT32_MAX}));
	REFUSES("build-id", writer_module(&writer, &(struct stmlog_module_record){.build_id_len = 33}));
	REFUSES("thread 2 refers to a string", writer_thread(&writer, &(struct stmlog_thread_record){.name = 4096}));
	REFUSES("entry 5 refers to a traceback", writer_entry(&writer, &(struct stmlog_entry_record){.remote = 4}));
	REFUSES("entry 5 refers to a site", writer_entry(&writer, &(struct stmlog_entry_record){.site = 4}));
	REFUSES("time blocked 0 refers to a site",
		writer_blocked(
			&writer, &(struct stmlog_blocked_record){.site = 0, .wakers = {{.site = 4, .count = 1}}}));
	REFUSES("entry 5 refers to a string", writer_entry(&writer, &(struct stmlog_entry_record){.detail = 4096}));
	REFUSES("entry 5 refers to a string",
		writer_entry(&writer, &(struct stmlog_entry_record){.object_names = {0, 0, 0, 4096}}));
	REFUSES("block 0 refers to a traceback", writer_block(&writer, &(struct stmlog_block_record){.traceback = 4}));
	REFUSES("open transaction 0 refers to a site",
		writer_open(&writer, &(struct stmlog_open_record){.site = 4096, .other_site = STMLOG_NO_SITE}));
	REFUSES("open transaction 0 refers to a site",
		writer_open(&writer, &(struct stmlog_open_record){.site = STMLOG_NO_SITE, .other_site = 4096}));
}

TEST(green_threads_are_read_and_found_by_number)
{
	struct stmlog_green_record green = {.id = 17, .label = "reader"};
	recording_sample(&writer);
	writer_green(&writer, &green);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_string_equal(recording_green(&recording, 1)->label, "reader");
	assert_null(recording_green(&recording, 0));
	assert_null(recording_green(&recording, 2));
	recording_fini(&recording);
	memset(green.label, 'x', sizeof green.label);
	REFUSES("the label of a green thread has no end", writer_green(&writer, &green));
}

TEST(a_word_for_own_work_has_an_end)
{
	struct stmlog_own_work_record work;
	memset(&work, 'x', sizeof work);
	REFUSES("a word for the runtime's own work has no end", writer_own_work(&writer, &work));
}

TEST(labels_are_read_and_found_by_the_addresses_of_their_pieces)
{
	struct stmlog_label_record label = {.count = 3, .text = "account 17"};
	recording_sample(&writer);
	writer_label(&writer, &label);
	label = (struct stmlog_label_record){.address = 4096, .size = 8, .text = "account 17"};
	writer_label(&writer, &label);
	label.address = 4104;
	writer_label(&writer, &label);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_null(recording_label(&recording, 0));
	assert_null(recording_label(&recording, 4095));
	assert_int_equal(recording_label(&recording, 4103)->address, 4096);
	assert_int_equal(recording_label(&recording, 4111)->address, 4104);
	assert_null(recording_label(&recording, 4112));
	recording_fini(&recording);
	struct stmlog_label_record below = {.address = 4103, .size = 1, .text = "account 18"};
	REFUSES("label 1 is out of order", writer_label(&writer, &label), writer_label(&writer, &below));
	memset(label.text, 'x', sizeof label.text);
	REFUSES("the text of a label has no end", writer_label(&writer, &label));
}

TEST(processes_are_read_and_have_programs)
{
	recording_sample_processes(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_int_equal(recording.process_count, 2);
	assert_int_equal(recording.processes[1].pid, 4712);
	assert_string_equal(recording_string(&recording, recording.processes[1].program), "audit");
	recording_fini(&recording);
	REFUSES("process 0 refers to a string",
		writer_process(&writer, &(struct stmlog_process_record){.program = 4096}));
}

TEST(sections_whose_form_is_wrong_are_refused)
{
	REFUSES("'strings'", writer_append(&writer, STMLOG_SECTION_STRINGS, "x", 1));
	REFUSES("'entries'", writer_append(&writer, STMLOG_SECTION_ENTRIES, "x", 1));
	REFUSES("'entries'", shorten(STMLOG_SECTION_ENTRIES, sizeof(struct stmlog_entry_record) - 4));
	REFUSES("'threads'", writer.record_size[STMLOG_SECTION_THREADS] -= 8);
	REFUSES("'sites'", writer.record_size[STMLOG_SECTION_SITES] = 0);
	REFUSES("'tracebacks'", writer_append(&writer, STMLOG_SECTION_TRACEBACKS, "\1\0\0\0\0\0\0\0", 8));
	REFUSES("'tracebacks'", writer_append(&writer, STMLOG_SECTION_TRACEBACKS, "\0\0\0", 3));
	REFUSES("'tracebacks'", writer_append(&writer, STMLOG_SECTION_TRACEBACKS, "\377\377\377\377\0\0\0\0", 8));
	REFUSES("'totals'", writer_total(&writer, 0, 0, 1, 1));
	REFUSES("'blocks'", writer_append(&writer, STMLOG_SECTION_BLOCKS, "x", 1));
	recording_sample(&writer);
	writer_block(&writer, &(struct stmlog_block_record){.address = 7, .size = 1});
	writer_block(&writer, &(struct stmlog_block_record){.address = 7, .size = 1});
	expect_refusal("block 1 is out of order");
	REFUSES("'events'", writer_append(&writer, STMLOG_SECTION_EVENTS, "x", 1));
	REFUSES("place 0 refers to a traceback",
		writer_event_place(&writer, &(struct stmlog_place_record){.traceback = 99}));
	REFUSES("place 0 refers to a string",
		writer_event_place(&writer, &(struct stmlog_place_record){.word = 1 << 20}));
	REFUSES("'info'", writer_append(&writer, STMLOG_SECTION_INFO, "clock=x", 7));
}

TEST(a_block_is_found_by_each_address_in_it_and_no_other)
{
	static const struct stmlog_block_record blocks[] = {
		{.address = 100, .size = 1}, {.address = 101, .size = 10}, {.address = 200, .size = UINT64_MAX}};
	static const struct {
		uint64_t address;
		int expected;
	} cases[] = {{0, -1}, {99, -1}, {100, 0}, {101, 1}, {110, 1}, {111, -1}, {199, -1}, {200, 2}, {UINT64_MAX, 2}};
	recording_sample(&writer);
	for (size_t i = 0; i < 3; i++)
		writer_block(&writer, &blocks[i]);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct stmlog_block_record *found = recording_block(&recording, cases[i].address);
		assert_ptr_equal(found, cases[i].expected >= 0 ? &recording.blocks[cases[i].expected] : NULL);
	}
	recording_fini(&recording);
	recording_sample(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_null(recording_block(&recording, 100));
	recording_fini(&recording);
}

/* A block's frames are repeated for each object in it. */
TEST(frames_of_blocks_count_as_those_of_entries_do)
{
	enum { DEPTH = RECORDING_MAX_FRAMES / 8 };
	OWNED(owned_free) uint32_t *sites = calloc(DEPTH, sizeof *sites);
	assert_non_null(sites);
	recording_sample(&writer);
	uint32_t deep = writer_traceback(&writer, sites, DEPTH, 0);
	writer.sections[STMLOG_SECTION_ENTRIES].len = 0;
	writer_block(&writer, &(struct stmlog_block_record){.address = 100, .size = 10, .traceback = deep});
	struct stmlog_entry_record entry = {.objects = {{100, 1}, {101, 1}, {102, 1}, {103, 1}}};
	memcpy(entry.object_others, (uint64_t[]){104, 105, 106, 107}, sizeof entry.object_others);
	writer_entry(&writer, &entry);
	entry.local = deep;
	writer_entry(&writer, &entry);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_int_equal(recording_traceback(&recording, deep).len, RECORDING_MAX_FRAMES / 20);
	recording_fini(&recording);
}

/* A recording whose entries have this many frames each, locally and remotely. */
static uint32_t write_deep(uint32_t entries, uint32_t depth)
{
	OWNED(owned_free) uint32_t *sites = calloc(depth, sizeof *sites);
	assert_non_null(sites);
	recording_sample(&writer);
	uint32_t deep = writer_traceback(&writer, sites, depth, 0);
	writer.sections[STMLOG_SECTION_ENTRIES].len = 0;
	for (uint32_t i = 0; i < entries; i++)
		writer_entry(&writer, &(struct stmlog_entry_record){.local = deep, .remote = deep});
	return deep;
}

TEST(tracebacks_are_given_whole_until_a_report_would_be_enormous)
{
	static const struct {
		uint32_t entries, depth, expected;
	} cases[] = {
		{1, RECORDING_MAX_FRAMES / 2, RECORDING_MAX_FRAMES / 2},
		{1, RECORDING_MAX_FRAMES / 2 + 1, RECORDING_MAX_FRAMES / 2},
		{100, RECORDING_MAX_FRAMES / 200, RECORDING_MAX_FRAMES / 200},
		{100, 10000, RECORDING_MAX_FRAMES / 200},
		{40000, 100, RECORDING_MIN_DEPTH},
		{40000, 10, 10},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint32_t deep = write_deep(cases[i].entries, cases[i].depth);
		assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
		struct recording_traceback traceback = recording_traceback(&recording, deep);
		assert_int_equal(traceback.len, cases[i].expected);
		assert_int_equal(traceback.is_cut, cases[i].expected < cases[i].depth);
		recording_fini(&recording);
	}
}

/* ---- any bytes ---- */

static void ignore(const char *text, void *arg)
{
	(void)text;
	(void)arg;
}

/* Runs everything that the command can do with a file. */
static enum recording_status use(const void *bytes, size_t len)
{
	enum recording_status status = load_bytes(&recording, bytes, len);
	if (status == RECORDING_UNUSABLE) {
		assert_true(recording.fault[0] != '\0');
	} else {
		verify_recording(&recording, ignore, NULL);
		struct report_options options = {.top = REPORT_ALL, .is_full = true};
		free(printed_report(&recording, options, report_text));
		free(printed_report(&recording, options, report_json));
		options.by = REPORT_BY_PAIR;
		free(printed_report(&recording, options, report_text));
	}
	recording_fini(&recording);
	return status;
}

TEST(a_truncated_file_is_used_from_its_threads_on)
{
	recording_sample(&writer);
	struct writer_blob file = writer_file(&writer);
	size_t step = RUNNING_ON_VALGRIND ? 41 : 1, usable = 0;
	for (size_t len = file.len - 1; len < file.len && len >= step; len -= step) {
		enum recording_status status = use(file.bytes, len);
		assert_int_not_equal(status, RECORDING_WHOLE);
		usable += status == RECORDING_PARTIAL ? 1 : 0;
	}
	assert_true(usable > 0);
	writer_fini(&writer);
	free(file.bytes);
}

TEST(a_changed_byte_under_a_right_checksum_is_survived)
{
	static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x10};
	recording_sample(&writer);
	struct writer_blob file = writer_file(&writer);
	size_t step = RUNNING_ON_VALGRIND ? 53 : 1;
	struct writer_blob changed = {malloc(file.len), file.len, file.len};
	assert_non_null(changed.bytes);
	size_t whole = 0;
	for (size_t at = 16; at < file.len; at += step) {
		memcpy(changed.bytes, file.bytes, file.len);
		changed.bytes[at] ^= changes[at % sizeof changes];
		writer_mend_checksums(&changed);
		whole += use(changed.bytes, changed.len) == RECORDING_WHOLE ? 1 : 0;
	}
	/* Many a changed byte is no damage, since figures may be anything: then everything was run with it. */
	assert_true(whole > 0);
	free(changed.bytes);
	free(file.bytes);
	writer_fini(&writer);
}

TEST(random_bytes_behind_a_right_header_are_survived)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;
	uint8_t bytes[512] = STMLOG_FILE_MAGIC "\1\0\0\0\20\0\0";
	for (int round = 0; round < (RUNNING_ON_VALGRIND ? 20 : 2000); round++) {
		for (size_t i = 16; i < sizeof bytes; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[i] = (uint8_t)seed;
		}
		assert_int_equal(use(bytes, sizeof bytes), RECORDING_UNUSABLE);
	}
}
