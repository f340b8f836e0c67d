/* SPDX-License-Identifier: MIT
 * Looks up the frames of sites (report/text/symbol.h) in the debug information and the symbol tables of modules. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "demangle.h"
#include "haskell_calling.h"
#include "memory.h"

/* A name of debug information may be of any length, too. */
enum { LONGEST_NAME = 4000 };

/* ---- frames of GHC's libraries, on top of a traceback ---- */

/* A function is known by the module in its name: "stm-2.5.0.0:Control.Concurrent.STM.TVar.modifyTVar". Of loops in the
 * library only the module is known. */

/* Whether the frame is of a function of a library that accesses TVars, or that runs what it was given. */
static bool is_library(const struct symbol_frame *frame)
{
	static const char *const modules[] = {":Control.Concurrent.STM.TVar.", ":GHC.Conc.Sync.",
		":GHC.Internal.Conc.Sync.", ":GHC.Base.", ":GHC.Internal.Base.", ":Data.Foldable.",
		":GHC.Internal.Data.Foldable."};
	if (frame->file != NULL || frame->function == NULL)
		return frame->file == NULL;
	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
		if (strstr(frame->function, modules[i]) != NULL)
			return true;
	return false;
}

/* How many frames are before the first one of the program's calls; 0: other ones are, too, or there is none. */
static uint8_t count_library_frames(struct symbols *symbols, const struct recording_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len && i < UINT8_MAX; i++) {
		const struct symbol_site *site = symbols_site(symbols, traceback->sites[i]);
		if (site->is_call)
			return (uint8_t)i;
		if (!is_library(site->frames))
			return 0;
	}
	return 0;
}

/* In a program of GHC that is not optimized, modifyTVar and others are functions that the program calls: they access
 * the TVar for a line of the program. From now on the recording's tracebacks begin with that line, if it is known. Does
 * nothing for recordings of other programs. */
static void leave_out_library_frames(struct symbols *symbols)
{
	const struct recording *recording = symbols->recording;
	bool is_haskell = recording->info.runtime != NULL && strstr(recording->info.runtime, "ghc") != NULL;
	if (!is_haskell || recording->traceback_inner == NULL)
		return;
	for (uint32_t i = 0; i < recording->traceback_count; i++) {
		recording->traceback_inner[i] = 0;
		struct recording_traceback traceback = recording_traceback(recording, i + 2);
		recording->traceback_inner[i] = count_library_frames(symbols, &traceback);
	}
}

/* ---- all names of a recording ---- */

struct symbols *symbols_create(struct recording *recording)
{
	struct symbols *symbols = memory_zeroed(1, sizeof *symbols);
	symbols->recording = recording;
	symbols->inlining = inlining_create();
	symbols->variables = variables_create();
	symbol_modules_init(symbols);
	tail_frames_add(symbols, recording);
	symbols->sites = memory_zeroed(recording->site_count, sizeof *symbols->sites);
	leave_out_library_frames(symbols);
	return symbols;
}

static void site_fini(struct symbol_site *site)
{
	for (size_t i = 0; i < site->len; i++) {
		free(site->frames[i].function);
		free(site->frames[i].file);
	}
	free(site->frames);
	free(site->directory);
	json_decref(site->json);
}

static void objects_fini(struct symbols *symbols)
{
	for (size_t i = 0; symbols->site_accesses != NULL && i < symbols->recording->site_count; i++) {
		free(symbols->site_accesses[i].member);
		free(symbols->site_accesses[i].line);
	}
	free(symbols->site_accesses);
	free(symbols->address_accesses);
	accesses_destroy(&symbols->accesses);
	variables_destroy(&symbols->variables);
}

void symbols_destroy(struct symbols **symbols)
{
	if (*symbols == NULL)
		return;
	for (size_t i = 0; i < (*symbols)->recording->site_count; i++)
		site_fini(&(*symbols)->sites[i]);
	inlining_destroy(&(*symbols)->inlining);
	objects_fini(*symbols);
	for (size_t i = 0; (*symbols)->unsafe_calls != NULL && i < (*symbols)->recording->site_count; i++)
		site_fini(&(*symbols)->unsafe_calls[i]);
	free((*symbols)->unsafe_calls);
	free((*symbols)->sites);
	symbol_modules_fini(*symbols);
	free(*symbols);
	*symbols = NULL;
}

/* ---- sites ---- */

char *symbols_shortened(char *text)
{
	if (text != NULL && strlen(text) > LONGEST_NAME)
		memcpy(text + LONGEST_NAME - 3, "...", 4);
	return text;
}

static char *symbol_text_copy(const char *text)
{
	return text != NULL && text[0] != '\0' ? symbols_shortened(memory_text(text)) : NULL;
}

/* The file of a frame: its whole path, if it is not below the directory of the site. */
static char *file_of(const struct inlining_frame *frame, const char *directory)
{
	bool is_elsewhere = frame->file != NULL && frame->file[0] != '/' && frame->directory != NULL &&
			    (directory == NULL || strcmp(frame->directory, directory) != 0);
	return is_elsewhere ? symbols_shortened(memory_format("%s/%s", frame->directory, frame->file))
			    : symbol_text_copy(frame->file);
}

/* Whether the function that was entered last has the line of the statement, and begins behind the function around it.
 */
static bool is_within(const struct inlining_frame *entered, const struct inlining_frame *stated)
{
	bool is_there = entered->file != NULL && strcmp(entered->file, stated->file) == 0;
	return is_there && entered->first_line > stated->first_line && entered->first_line <= stated->line;
}

/* The frames of the begin of a transaction, if only the code around it shows them: its function was inlined, or another
 * one before it. */
static size_t begin_frames(
	struct symbols *symbols, Dwfl_Module *module, uint64_t address, struct inlining_frame found[INLINING_DEPTH])
{
	struct code code;
	struct inlining_frame entered[INLINING_DEPTH];
	uint64_t from, end = address + 1;
	if (!code_open(&code, module) || !itm_begins_before(&code, end - code.bias))
		return 0;
	size_t len = inlining_frames_stated(symbols->inlining, module, address, found, &from);
	if (len > 0 && !code_is_straight(&code, from - code.bias, end - code.bias))
		len = 0;
	size_t other = inlining_frames_entered(symbols->inlining, module, address, entered, &from);
	if (other == 0 || !code_is_straight(&code, from - code.bias, end - code.bias) ||
		(len > 0 && !is_within(entered, found)))
		return len;
	memcpy(found, entered, other * sizeof *found);
	return other;
}

/* clang++ mangles the names of our inline functions: _ZL12stmlog_abort... */
static bool has_our_name(const char *function)
{
	if (strncmp(function, "_ZL", strlen("_ZL")) == 0)
		function += strlen("_ZL") + strspn(function + strlen("_ZL"), "0123456789");
	return strncmp(function, "stmlog_", strlen("stmlog_")) == 0;
}

static bool is_hook(const struct inlining_frame *frame)
{
	static const char *const headers[] = {"runtime.h", "agent.h", "timeline.h", "stmlog-vendor.h"};
	bool is_ours = frame->function != NULL && has_our_name(frame->function);
	for (size_t i = 0; is_ours && frame->file != NULL && i < sizeof headers / sizeof *headers; i++)
		if (strcmp(symbol_basename(frame->file), headers[i]) == 0)
			return true;
	return false;
}

static bool is_in_file_of(const struct inlining_frame *frame, const struct inlining_frame *other)
{
	return frame->file != NULL && other->file != NULL && strcmp(frame->file, other->file) == 0;
}

/* Leaves out the inline functions of our headers, and then those of the file that calls them, if they are inlined in
 * code of another file: a runtime that is headers alone is inlined in the code of its user. */
static size_t without_hooks(struct inlining_frame *frames, size_t len)
{
	size_t hooks = 0;
	while (hooks + 1 < len && is_hook(&frames[hooks]))
		hooks++;
	size_t inner = hooks;
	while (hooks > 0 && inner < len && is_in_file_of(&frames[inner], &frames[hooks]))
		inner++;
	inner = inner < len ? inner : hooks;
	memmove(frames, frames + inner, (len - inner) * sizeof *frames);
	return len - inner;
}

/* Frames from the debug information, or one from the symbol table. */
static void name_address(struct symbols *symbols, struct module *module, uint64_t address, struct symbol_site *site)
{
	struct inlining_frame found[INLINING_DEPTH];
	size_t len = begin_frames(symbols, module->elf, address, found);
	if (len == 0) {
		len = haskell_call_frames(
			symbols->inlining, module->elf, address, symbols->recording->info.unix_ns, found);
		site->is_call = len > 0 && found[0].line != 0;
	}
	if (len == 0)
		len = without_hooks(found, inlining_frames(symbols->inlining, module->elf, address, found));
	bool is_bare = len == 0;
	if (is_bare)
		found[len++] = code_line(module->elf, address);
	const char *directory = inlining_directory(module->elf, address);
	site->len = len;
	site->frames = memory_zeroed(len, sizeof *site->frames);
	for (size_t i = 0; i < len; i++) {
		site->frames[i].function =
			found[i].function != NULL ? symbols_shortened(demangle(found[i].function)) : NULL;
		site->frames[i].file = file_of(&found[i], directory);
		site->frames[i].line = found[i].line;
		site->frames[i].last_line = found[i].last_line;
		site->frames[i].first_line = found[i].first_line;
	}
	if (is_bare)
		site->frames[0].function = symbols_shortened(code_name(module, address));
	site->directory = symbol_text_copy(directory);
	for (size_t i = 0; i < len; i++)
		site->frames[i].directory = site->directory;
}

static void name_by_symbol_table(struct module *module, uint64_t address, struct symbol_site *site)
{
	site->len = 1;
	site->frames = memory_zeroed(1, sizeof *site->frames);
	site->frames[0].function = symbols_shortened(code_name(module, address));
}

static void look_up_address(struct symbols *symbols, struct module *module, const struct stmlog_site_record *record,
	struct symbol_site *site)
{
	/* The position is a return address: the call lies before it. */
	uint64_t address = symbols_moved(symbols, record->module, record->position - 1);
	if (symbols_is_c_library(module) || record->last_line == TAIL_FRAMES_FUNCTION)
		name_by_symbol_table(module, address, site);
	else
		name_address(symbols, module, address, site);
}

/* The site of the function into which that of the site was inlined; STMLOG_NO_SITE: into none. */
static uint32_t site_around(const struct recording *recording, uint32_t site)
{
	const struct stmlog_site_record *record = &recording->sites[site];
	uint32_t around = (uint32_t)record->code;
	return record->kind == STMLOG_SITE_NAMED && around != 0 ? around - 1 : STMLOG_NO_SITE;
}

/* The frames that the recording itself has. In a damaged one the sites may lead in a circle. */
static void name_recorded(const struct recording *recording, uint32_t site, struct symbol_site *found)
{
	size_t len = 0;
	for (uint32_t at = site; at != STMLOG_NO_SITE && len < INLINING_DEPTH; at = site_around(recording, at))
		len++;
	found->frames = memory_zeroed(len, sizeof *found->frames);
	for (; found->len < len; site = site_around(recording, site))
		found->frames[found->len++] = symbol_recorded(recording, &recording->sites[site]);
}

const struct symbol_site *symbols_site(struct symbols *symbols, uint32_t site)
{
	struct symbol_site *found = &symbols->sites[site];
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	if (found->len > 0)
		return found;
	struct module *module = symbols_module_of(symbols, record);
	if (module == NULL) {
		name_recorded(symbols->recording, site, found);
		return found;
	}
	struct symbol_frame recorded = symbol_recorded(symbols->recording, record);
	look_up_address(symbols, module, record, found);
	for (size_t i = 0; i < found->len; i++) {
		found->frames[i].module = recorded.module;
		found->frames[i].offset = recorded.offset;
	}
	return found;
}

json_t **symbols_kept_json(struct symbols *symbols, uint32_t site)
{
	return &symbols->sites[site].json;
}

/* One frame, without a function if the call was not found. */
static void look_up_unsafe_call(struct symbols *symbols, uint32_t site, struct symbol_site *found)
{
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	struct inlining_frame lines[INLINING_DEPTH] = {{.function = NULL}};
	struct unsafe_call call = {NULL, 0};
	found->len = 1;
	found->frames = memory_zeroed(1, sizeof *found->frames);
	struct module *module = symbols_module_of(symbols, record);
	if (module != NULL)
		call = unsafe_call_find(module->elf, symbols_moved(symbols, record->module, record->position));
	if (call.function == NULL)
		return;
	inlining_frames(symbols->inlining, module->elf, call.address, lines);
	found->frames->function = symbols_shortened(demangle(call.function));
	found->frames->file = symbol_text_copy(lines[0].file);
	found->frames->line = lines[0].line;
}

/* Of an address that the recording has named. */
static const struct symbol_frame *recorded_call(struct symbols *symbols, const struct stmlog_site_record *record)
{
	uint32_t call = (uint32_t)(record->code >> 32);
	const struct symbol_frame *frame = call != 0 ? symbols_site(symbols, call - 1)->frames : NULL;
	return frame != NULL && frame->function != NULL ? frame : NULL;
}

const struct symbol_frame *symbols_unsafe_call(struct symbols *symbols, uint32_t site)
{
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	if (record->kind == STMLOG_SITE_NAMED)
		return recorded_call(symbols, record);
	if (symbols->unsafe_calls == NULL)
		symbols->unsafe_calls = memory_zeroed(symbols->recording->site_count, sizeof *symbols->unsafe_calls);
	struct symbol_site *found = &symbols->unsafe_calls[site];
	if (found->len == 0)
		look_up_unsafe_call(symbols, site, found);
	return found->frames->function != NULL ? found->frames : NULL;
}

bool symbols_lack_lines(struct symbols *symbols, uint32_t site)
{
	const struct stmlog_site_record *record = &symbols->recording->sites[site];
	return symbols_site(symbols, site)->frames->line == 0 && symbols_module_of(symbols, record) != NULL;
}
