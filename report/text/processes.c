/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include "check.h"
#include "number.h"
#include "recorded_account.h"
#include "report.h"
#include "report_memory.h"
#include "saturate.h"
#include "utf8.h"

_Static_assert(STMLOG_PROCESS_ROWS == STMLOG_ACCOUNT_ROWS, "the record of a process has each row");

static struct process single(const struct recording *recording)
{
	struct recorded_account total = account_total(recording);
	struct process process = {
		symbol_basename(recording->info.program), {.pid = recording->info.pid,
								  .threads = report_thread_count(recording),
								  .attached_ns = total.attached_ns,
								  .commits = total.commits,
								  .aborts = total.aborts}};
	memcpy(process.record.row_ns, recording->row_ns, sizeof recording->row_ns);
	return process;
}

size_t processes_count(const struct recording *recording)
{
	return recording->process_count != 0 ? recording->process_count : 1;
}

struct process processes_at(const struct recording *recording, size_t i)
{
	REQUIRES(i < processes_count(recording));
	if (recording->process_count == 0)
		return single(recording);
	return (struct process){recording_string(recording, recording->processes[i].program), recording->processes[i]};
}

uint64_t process_lost_ns(const struct process *process)
{
	const uint64_t *ns = process->record.row_ns;
	uint64_t waited_ns = saturated_sum(ns[STMLOG_ACCOUNT_PAUSED], ns[STMLOG_ACCOUNT_WAITING]);
	return saturated_sum(ns[STMLOG_ACCOUNT_ABORTED], waited_ns);
}

/* ---- their programs ---- */

static const char *program_of(const struct recording *recording, size_t i)
{
	return recording_string(recording, recording->processes[i].program);
}

static char *with_program(char *text, const char *program, size_t count)
{
	const char *between = text[0] != '\0' ? ", " : "";
	char *longer = count > 1 ? memory_format("%s%s%s x%s", text, between, program, number_count(count).text)
				 : memory_format("%s%s%s", text, between, program);
	memory_free(text);
	return longer;
}

char *processes_programs(const struct recording *recording)
{
	enum { ENOUGH = 200 };
	char *text = memory_text("");
	size_t groups = 0, len = recording->process_count;
	for (size_t i = 0, next; i < len && strlen(text) < ENOUGH; i = next, groups++) {
		next = i + 1;
		while (next < len && strcmp(program_of(recording, next), program_of(recording, i)) == 0)
			next++;
		text = with_program(text, program_of(recording, i), next - i);
	}
	if (groups > 1)
		return utf8_cleaned(text);
	memory_free(text);
	return NULL;
}
