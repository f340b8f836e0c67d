/* SPDX-License-Identifier: MIT
 * A function is known by the module in its name: "stm-2.5.0.0:Control.Concurrent.STM.TVar.modifyTVar". Of loops in the
 * library only the module is known. */
#include "library_frames.h"

#include <string.h>

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
static uint8_t count(struct symbols *symbols, library_frames_site *site_of, const struct recording_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len && i < UINT8_MAX; i++) {
		const struct symbol_site *site = site_of(symbols, traceback->sites[i]);
		if (site->is_call)
			return (uint8_t)i;
		if (!is_library(site->frames))
			return 0;
	}
	return 0;
}

void library_frames_leave_out(struct symbols *symbols, library_frames_site *site_of)
{
	const struct recording *recording = symbols->recording;
	bool is_haskell = recording->info.runtime != NULL && strstr(recording->info.runtime, "ghc") != NULL;
	if (!is_haskell || recording->traceback_inner == NULL)
		return;
	for (uint32_t i = 0; i < recording->traceback_count; i++) {
		recording->traceback_inner[i] = 0;
		struct recording_traceback traceback = recording_traceback(recording, i + 2);
		recording->traceback_inner[i] = count(symbols, site_of, &traceback);
	}
}
