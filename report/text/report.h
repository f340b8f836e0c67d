/* SPDX-License-Identifier: MIT
 * The parts of the text report of one recording. The whole, and views other than by entry, are in tools/report. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "printer.h"
#include "records.h"
#include "symbol.h"
#include "tally.h"

/* PROCESS and PATH are of all time, REGION and TRANSACTION of no losses. */
enum report_by {
	REPORT_BY_ENTRY,
	REPORT_BY_SITE,
	REPORT_BY_PAIR,
	REPORT_BY_OBJECT,
	REPORT_BY_THREAD,
	REPORT_BY_PROCESS,
	REPORT_BY_CAUSE,
	REPORT_BY_PATH,
	REPORT_BY_REGION,
	REPORT_BY_TRANSACTION
};

#define REPORT_ALL SIZE_MAX

enum { REPORT_TOP_DEFAULT = 5 };

struct report_options {
	enum tally_sort sort;
	enum report_by by;
	size_t top;          /* how many rows of a list are shown */
	bool is_brief;       /* the first screen alone */
	size_t lines_behind; /* so many lines are printed behind a brief report, and are to fit its screen */
	bool is_full;        /* all frames, all threads, whole paths */
	bool is_early;       /* the program still runs: the file of the report will exist when it has ended */
};

struct short_names;

#define REPORT_USUAL_FILE "" /* the file that the command reads if none is named */

struct report {
	const struct recording *recording;
	struct symbols *symbols;
	struct report_options options;
	const struct printer *out;
	const char *file;                /* the path of the recording, or REPORT_USUAL_FILE */
	const struct short_names *names; /* NULL until report_text() */
};

/* ---- its parts ---- */

/* The sums at the head: where all the time went, the cost of recording, and what recording missed. */
void report_sums(const struct report *report);

/* The usual `losses`: the costliest entries. */
void report_entries(const struct report *report);
/* The same on at most `lines` lines, including a heading; prints nothing if there is no room for an entry. */
void report_entries_briefly(const struct report *report, size_t lines);
/* Prints an entry's objects, and the part of its losses that are false conflicts. */
void report_objects(const struct report *report, const struct stmlog_entry_record *entry);
/* The call that made the other transaction of the entry irrevocable; NULL: it was not irrevocable, or the call is not
 * known. Borrowed from the symbols. */
const struct symbol_frame *report_unsafe_call(const struct report *report, const struct stmlog_entry_record *entry);

/* ---- processes and threads ---- */

/* A process of the recording. One without a section PROCESSES is of a single process, which has the sums of all
 * threads. */
struct process {
	const char *program; /* borrowed from the recording */
	struct stmlog_process_record record;
};

size_t processes_count(const struct recording *recording);

/* Requires that i < processes_count(). */
struct process processes_at(const struct recording *recording, size_t i);

/* The rows aborted, paused and waiting. */
uint64_t process_lost_ns(const struct process *process);

/* "server x4, helper": the programs of the processes. NULL: all run one. Free it with memory_free(). */
char *processes_programs(const struct recording *recording);

/* The number of threads. The record of the remainder, which stands for threads without a record of their own, counts as
 * these threads and not as one more. */
uint64_t report_thread_count(const struct recording *recording);

/* "2 threads on 4 processors", or "4 processes, 8 threads on 2 processors"; without the processors where these are not
 * known. In GHC's programs the threads of a recording are capabilities, and are called so. Free it with memory_free().
 */
char *report_threads_text(const struct recording *recording);

void report_threads(const struct report *report);

/* The green threads that have lost most or made others lose most; prints nothing if none is known. */
void report_greens(const struct report *report);

/* ---- labels ---- */

struct report_label {
	const struct stmlog_label_record *record; /* borrowed from the recording */
	char *table;                              /* the text without digits: labels with the same one are a table */
	uint64_t table_ns;                        /* the losses of all its labels */
};

/* The program's labels: the costliest table comes first, and its costliest label. */
struct report_labels {
	struct report_label *at;
	size_t len;
};
struct report_labels report_labels_make(const struct recording *recording);
void report_labels_fini(struct report_labels *labels);

/* Prints which part of the losses of each table its labels have; nothing if there are no labels. */
void report_labels(const struct report *report);

/* ---- blocked transactions ---- */

/* How long transactions were blocked after a retry, by the places where they begin: sites with the same name are one
 * row. And what they waited for, of those that were measured. */
struct blocked_row {
	uint32_t place;
	struct stmlog_blocked_record record;
	/* Entries of attempts that have ended with a retry; NULL: none. `waits` has the most attempts, but those with a
	 * known object come first. `woken` has the most of those that a known transaction had woken; those come first
	 * of which the place of the write is known, too. */
	const struct stmlog_entry_record *waits, *woken;
};

/* Of the entry's objects, the address of most losses; 0: none is known. */
uint64_t blocked_address(const struct stmlog_entry_record *entry);

/* The place where those transactions begin that have woken them most often, and how many wakes of them are known;
 * PLACE_UNKNOWN, 0: none is. */
struct blocked_waker {
	uint32_t place;
	uint64_t count;
};
struct blocked_waker blocked_waker(struct places *places, const struct blocked_row *row);

/* The rows, the longest time first. */
struct blocked {
	struct blocked_row *rows;
	size_t len;
};

struct blocked blocked_make(const struct recording *recording, struct places *places);
void blocked_fini(struct blocked *blocked);

/* Prints the rows; nothing if no transaction was blocked. */
void report_blocked(const struct report *report);

/* ---- lists ---- */

/* The entries in the order of the options; equal ones stay in the order of the file. key[0] is the number of the entry.
 * The caller calls tally_drop(). */
struct tally report_sorted(const struct report *report);

/* The number of rows to show: without the rows that are too few to say, and with them. */
size_t report_shown(const struct report *report, const struct tally *tally);
size_t report_listed(const struct report *report, const struct tally *tally);

/* Prints the title with the share of all lost time that the first `shown` rows have, and a line on all lost time. */
void report_heading(const struct report *report, const char *title, const struct tally *tally, size_t shown);

/* Prints the end of a list, "... N more (how)"; nothing if `rest` is 0. */
void report_rest(const struct report *report, size_t rest, const char *how);

/* Prints the line below a list for all rows that are too few to say, if there are any; `one` and `many` are the words
 * for a row and for rows. */
void report_too_few(const struct report *report, const struct tally *tally, const char *one, const char *many);

/* Prints both: how many known rows are left out, with "--top=N", and the line for rows that are too few to say. */
void report_ends(
	const struct report *report, const struct tally *tally, size_t shown, const char *one, const char *many);

/* "time" or "times" */
const char *report_times(uint64_t count);

/* True for a pause or wait whose time the runtime has inferred. */
bool report_is_estimated_wait(const struct report *report, const struct stmlog_entry_record *entry);

/* ---- frames of tracebacks ---- */

/* The frames, including inlined functions, innermost first; borrowed from the symbols. The caller calls
 * memory_free(at). */
struct report_frames {
	const struct symbol_frame **at;
	size_t len;
};
struct report_frames report_frames_of(const struct report *report, const struct recording_traceback *traceback);

/* Removes the frames of a language's run-time system, which are not the user's code, and in Haskell those without a
 * name; removes nothing if there are no other frames. */
void report_frames_without_runtime(struct report_frames *frames);

/* The number of frames without the startup code at the outer end; all, if there are no other frames. */
size_t report_frames_without_startup(const struct report_frames *frames);

/* ---- names; free what is not const with memory_free() ---- */

/* ` (Haskell 17 "reader")`: the green thread of an entry, by its number (format.h). "": it is not known. */
char *report_green(const struct report *report, uint16_t number);

/* The function's name, "transfer". If it is not known, "bank+0x1234", in the buffer. */
enum { REPORT_FUNCTION = 320 };
const char *report_function_of(const struct symbol_frame *frame, char buffer[REPORT_FUNCTION]);

/* The same without arguments and template arguments, unless the report is full or several functions would get the same
 * name. May contain any bytes. */
char *report_name_of(const struct report *report, const struct symbol_frame *frame);

/* "bank.c:61 transfer"; may contain any bytes. */
char *report_spot_of(const struct report *report, const struct symbol_frame *frame);

/* "bank.c:61"; NULL: not known. */
char *report_line_of(const struct report *report, const struct symbol_frame *frame);

/* "transfer bank.c:61"; may contain any bytes. */
char *report_frame(const struct report *report, const struct symbol_frame *frame);

/* The name of a place, made printable, in the order that helps to find it: "bank.c:61 transfer". Names are without
 * arguments, except in a full report. */
char *report_spot(const struct report *report, const struct places *places, uint32_t place);

/* The innermost frame of a traceback, in the same order. NULL: it has none. */
char *report_innermost(const struct report *report, uint32_t traceback);

/* The name of an address: the runtime's name for an object of this entry, else that of a symbol or a block. */
char *report_object_of(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address);

/* The name of an address that the other transaction touched in a false conflict. */
char *report_other_of(const struct report *report, uint64_t address);

/* The name of an address, but all blocks that were allocated at one place have the same name. */
char *report_object_group(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address);

/* "stripe" or "cache line": the unit of stripe_bytes within which accesses conflict. */
const char *report_stripe_word(const struct report *report);

#endif
