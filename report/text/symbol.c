/* SPDX-License-Identifier: MIT
 * Names sites from the recording alone. */
#include "symbol.h"

#include <inttypes.h>
#include <string.h>

#include "report_memory.h"

static char *copy(const struct recording *recording, uint32_t string)
{
	const char *text = recording_string(recording, string);
	return text[0] != '\0' ? memory_text(text) : NULL;
}

static struct symbol_frame address_frame(const struct recording *recording, const struct stmlog_site_record *site)
{
	if (site->module == STMLOG_NO_MODULE)
		return (struct symbol_frame){.offset = site->position};
	const struct stmlog_module_record *module = &recording->modules[site->module];
	return (struct symbol_frame){
		.module = recording_string(recording, module->path), .offset = site->position - module->bias};
}

struct symbol_frame symbol_recorded(const struct recording *recording, const struct stmlog_site_record *site)
{
	bool is_named = site->kind == STMLOG_SITE_NAMED;
	struct symbol_frame frame = {.offset = site->position};
	if (is_named || site->kind == STMLOG_SITE_ADDRESS)
		frame = address_frame(recording, site);
	if (site->kind == STMLOG_SITE_ADDRESS)
		return frame;
	frame.function = copy(recording, site->function);
	frame.file = copy(recording, site->file);
	frame.line = site->line;
	frame.last_line = site->last_line;
	if (frame.function == NULL && !is_named)
		frame.function = memory_format("code 0x%" PRIx64 " position 0x%" PRIx64, site->code, site->position);
	return frame;
}

bool symbol_same_names(const char *left, const char *right)
{
	return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

char *symbol_position(const char *file, uint32_t line, uint32_t last_line)
{
	if (line == 0)
		return memory_text(file);
	if (last_line == 0)
		return memory_format("%s:%" PRIu32, file, line);
	return memory_format("%s:%" PRIu32 "-%" PRIu32, file, line, last_line);
}

const char *symbol_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

bool symbol_is_in(const struct symbol_frame *frame, const char *const libraries[])
{
	const char *name = frame->module != NULL ? symbol_basename(frame->module) : "";
	while (*libraries != NULL && strncmp(name, *libraries, strlen(*libraries)) != 0)
		libraries++;
	return *libraries != NULL;
}

bool symbol_is_startup(const struct symbol_frame *frame)
{
	static const char *const libraries[] = {"libc.so", "libc-", "libpthread", "ld-linux", "libstdc++.so", NULL};
	bool is_start = frame->function != NULL && frame->module != NULL && strcmp(frame->function, "_start") == 0;
	return is_start || symbol_is_in(frame, libraries);
}
