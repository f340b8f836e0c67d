/* SPDX-License-Identifier: MIT
 * Prints counts of hardware transactions, and places where they may all abort because of lazy binding. */
#include "recorded_account.h"
#include "hardware.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"

static void print_causes(const struct report *report, const struct hardware *hardware)
{
	const char *before = " (";
	for (size_t i = 0; i < HARDWARE_CAUSES; i++) {
		const struct hardware_cause *cause = &hardware->causes[i];
		if (cause->aborts == 0)
			continue;
		printer_format(report->out, "%s%s %s", before, cause->name, number_count(cause->aborts).text);
		before = ", ";
	}
	printer_text(report->out, before[0] == ',' ? ")" : "");
}

static void print_counts(const struct report *report, const struct hardware *hardware)
{
	uint64_t commits = account_total(report->recording).commits;
	printer_format(report->out, "hardware: %s attempts, aborted %s", number_count(hardware->attempts).text,
		number_count(hardware->aborts).text);
	print_causes(report, hardware);
	printer_format(report->out, ", fallbacks %s", number_count(hardware->fallbacks).text);
	if (commits != 0)
		printer_format(report->out, " = %s of transactions", number_share(hardware->fallbacks, commits).text);
	printer_text(report->out, "\n");
}

static void print_lazy(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct lazy_places lazy = lazy_places_of(report->recording, report->symbols, places);
	for (size_t i = 0; i < lazy.len && i < report->options.top; i++) {
		char *place = report_spot(report, places, lazy.at[i].place);
		printer_format(report->out,
			"hint: %s of the aborts at %s are of a kind that comes again whatever is tried; a function\n"
			"      called there, as free(), may be bound lazily, which no hardware transaction can do: run "
			"it "
			"with LD_BIND_NOW=1\n",
			number_share(lazy.at[i].unfriendly, lazy.at[i].aborts).text, place);
		memory_free(place);
	}
	lazy_places_fini(&lazy);
	places_destroy(&places);
}

void report_hardware(const struct report *report)
{
	struct hardware hardware = hardware_of(&report->recording->info);
	if (!hardware.is_known)
		return;
	print_counts(report, &hardware);
	print_lazy(report);
}
