/* SPDX-License-Identifier: MIT
 * Fills what the records of older files lack, where 0 would say something wrong. */
#include "older.h"

#include <stddef.h>
#include <string.h>

/* The section, if its records are shorter than those with estimates, which are `size` bytes up to there. */
static struct file_section *lacking(struct file *file, enum stmlog_section type, size_t size)
{
	struct file_section *section = file_section(file, type);
	return section != NULL && section->record_size < size ? section : NULL;
}

#define UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))

void older_totals(struct file *file)
{
	struct file_section *section = lacking(file, STMLOG_SECTION_TOTALS, UP_TO(stmlog_total_record, variance_ns2));
	if (section == NULL)
		return;
	struct stmlog_total_record *totals = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++)
		totals[i].estimated_ns = (double)totals[i].lost_ns;
}

static void estimate_thread(struct stmlog_thread_record *thread)
{
	thread->estimated_committed_ns = thread->committed_ns;
	memcpy(thread->estimated_aborted_ns, thread->aborted_ns, sizeof thread->aborted_ns);
	thread->estimated_paused_ns = thread->paused_ns;
	thread->estimated_waiting_inevitable_ns = thread->waiting_inevitable_ns;
	thread->estimated_waiting_none_ns = thread->waiting_none_ns;
	thread->estimated_other_ns = thread->other_ns;
}

/* Time off the processor is 0 there by what these files call time: it is part of the other rows. */
static void doubt_thread(struct stmlog_thread_record *thread)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_DESCHEDULED; row++)
		thread->row_doubt_ns[row] = thread->attached_ns;
}

void older_threads(struct file *file, bool is_sampled)
{
	struct file_section *section = lacking(file, STMLOG_SECTION_THREADS, UP_TO(stmlog_thread_record, row_doubt_ns));
	if (section == NULL)
		return;
	struct stmlog_thread_record *threads = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++) {
		if (section->record_size < UP_TO(stmlog_thread_record, estimated_other_ns))
			estimate_thread(&threads[i]);
		if (is_sampled)
			doubt_thread(&threads[i]);
	}
}

bool older_entries(struct file *file)
{
	struct file_section *section =
		lacking(file, STMLOG_SECTION_ENTRIES, UP_TO(stmlog_entry_record, descheduled_ns));
	if (section == NULL)
		return true;
	bool has_estimates = section->record_size >= UP_TO(stmlog_entry_record, variance_ns2);
	struct stmlog_entry_record *entries = (void *)section->bytes;
	for (size_t i = 0; i < section->length / section->record_size; i++) {
		entries[i].site = STMLOG_NO_SITE;
		if (!has_estimates)
			entries[i].estimated_ns = (double)entries[i].lost_ns - (double)entries[i].overstated_ns;
	}
	return has_estimates;
}
