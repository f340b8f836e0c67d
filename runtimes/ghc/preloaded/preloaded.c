/* SPDX-License-Identifier: MIT
 *
 * The way into a program that was not linked with the module: the module is preloaded. Some functions of the RTS have
 * hooks (functions.def). Before `main` runs, the module redirects the RTS's own calls of these functions to the hooks.
 * The RTS is in the program, or with -dynamic in a shared library. One that is not exactly as expected is left alone.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stmlog/agent.h>

#include "detour.h"
#include "library.h"
#include "image.h"
#include "real.h"
#include "environment.h"

/* ---- the functions ---- */

/* The symbols of the program: the functions of the RTS, and then two that are absent as a rule. */
enum { PLACE_of_module = PLACES, PLACE_of_debug, SYMBOLS };
_Static_assert(sizeof(struct ghc_real) == PLACES * sizeof(uintptr_t), "functions.def has all members");

static struct image_symbol symbols[SYMBOLS] = {
#define HOOKED(member, name, calls, debug_calls, from, nth) {#name, 0},
#define CALLED(member, name) {#name, 0},
#define OPTIONAL(member, name) {#name, 0},
#include "functions.def"
	[PLACE_of_module] = {"__wrap_stmStartTransaction", 0}, /* the module was linked into the program */
	[PLACE_of_debug] = {"checkSanity", 0},                 /* only the RTS for -debug has it */
};

#define HOOKED(member, name, calls, debug_calls, from, nth) extern const char __wrap_##name[];
#include "functions.def"

static const void *const hooks[HOOKS] = {
#define HOOKED(member, name, calls, debug_calls, from, nth) __wrap_##name,
#include "functions.def"
};

/* In an RTS as usual, and in one for -debug. */
static const size_t known_calls[HOOKS][2] = {
#define HOOKED(member, name, calls, debug_calls, from, nth) {(calls), (debug_calls)},
#include "functions.def"
};

/* ---- calls ---- */

#define SEGMENTS_MAX 8

struct code {
	struct image_segment segments[SEGMENTS_MAX];
	size_t len;
	bool is_debug; /* it has an RTS for -debug */
};

static void refuse(const char *why, const char *other_way)
{
	native_warn_with(why, other_way);
	stmlog_refused();
}

/* Returns false if the calls are not those of a known RTS. */
static bool find_calls(const struct code *code, const uintptr_t *functions, struct calls *calls)
{
	*calls = (struct calls){.len = 0};
	for (size_t i = 0; i < code->len; i++) {
		unsigned char *start = (unsigned char *)code->segments[i].start;
		calls_find(calls, start, code->segments[i].size, functions, HOOKS);
		if (code->is_debug)
			calls_find_loads(calls, start, code->segments[i].size, functions, HOOKS);
	}
	for (size_t i = 0; i < HOOKS; i++)
		if (calls_of(calls, i) != known_calls[i][code->is_debug])
			return false;
	return true;
}

/* Leads the calls in the code to the hooks. `other_way`: what the user can do if that fails. */
static bool redirect_calls(const struct code *code, const uintptr_t *addresses, const char *other_way)
{
	struct calls calls;
	if (!find_calls(code, addresses, &calls)) {
		refuse("nothing is recorded: this program's run-time system has other calls than that of GHC 9.0 to "
		       "9.10; ",
			other_way);
		return false;
	}
	memcpy((void *)&ghc_real, addresses, sizeof ghc_real);
	if (!detour_redirect(&calls, hooks, HOOKS)) {
		refuse("nothing is recorded: the system lets nobody change the program's code; ", other_way);
		return false;
	}
	return true;
}

/* ---- the RTS in the program ---- */

/* Sets *is_fixed: whether the program, which is the first in the list, runs at the addresses in its file. Most programs
 * do not, because their addresses are chosen when they start. They are left alone without a look at their files. */
static int look_at_first(struct dl_phdr_info *info, size_t size, void *is_fixed)
{
	(void)size;
	*(bool *)is_fixed = info->dlpi_addr == 0;
	return 1;
}

static bool may_be_fixed(void)
{
	bool is_fixed = false;
	dl_iterate_phdr(look_at_first, &is_fixed);
	return is_fixed;
}

static struct image map_program(void)
{
	struct stat status;
	struct image image = {NULL, 0};
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return image;
	void *bytes = MAP_FAILED;
	if (fstat(file, &status) == 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (bytes != MAP_FAILED)
		image = (struct image){bytes, (size_t)status.st_size};
	return image;
}

static bool has_all(const struct image *image)
{
	for (size_t i = 0; i < NEEDED; i++)
		if (!image_has(image, symbols[i].address, 1))
			return false;
	return image_has(image, symbols[PLACE_atomically].address, GHC_ATOMICALLY_BYTES) &&
	       image_has(image, symbols[PLACE_start].address, GHC_START_BYTES) &&
	       image_has(image, symbols[PLACE_new_tvar].address, CREATION_BYTES);
}

/* Whether the file shows that the module can be used. Prints no warning: the record command says why a program of GHC
 * is left alone, if the file shows that. */
static bool is_for_module(const struct image *image)
{
	return image_is_fixed(image) && image_find_symbols(image, symbols, SYMBOLS) &&
	       symbols[PLACE_of_module].address == 0 && has_all(image) &&
	       ghc_rts_is_known((const unsigned char *)symbols[PLACE_atomically].address,
		       (const unsigned char *)symbols[PLACE_start].address);
}

static bool find_in_program(void)
{
	struct image image = map_program();
	uintptr_t addresses[PLACES];
	bool is_found = is_for_module(&image);
	if (is_found) {
		struct code code = {.is_debug = symbols[PLACE_of_debug].address != 0};
		code.len = image_find_code(&image, code.segments, SEGMENTS_MAX);
		for (size_t i = 0; i < PLACES; i++)
			addresses[i] = symbols[i].address;
		is_found = redirect_calls(&code, addresses, "link the program with stmlog-ghc.wrap");
	}
	if (image.size != 0)
		munmap((void *)(uintptr_t)image.bytes, image.size);
	return is_found;
}

/* ---- the RTS in a shared library ---- */

static bool find_in_library(void)
{
	static const char other_way[] = "link the program without -dynamic";
	struct library library;
	uintptr_t addresses[PLACES];
	if (!library_open(&library, "libHSrts"))
		return false;
	/* In libraries for -debug of GHC 9.6 most commits do not reach the hook. */
	bool is_debug = strstr(library.path, "_debug") != NULL, is_tried = strstr(library.path, "-ghc9.0.") != NULL;
	struct code code = {{{(uintptr_t)library.code, library.code_size}}, 1, is_debug};
	bool is_found = (!is_debug || is_tried) && hidden_find(&library, is_debug, addresses) &&
			ghc_rts_is_known((const unsigned char *)addresses[PLACE_atomically],
				(const unsigned char *)addresses[PLACE_start]);
	if (!is_found)
		refuse("nothing is recorded: the shared library of this program's run-time system is not known; ",
			other_way);
	is_found = is_found && redirect_calls(&code, addresses, other_way);
	library_close(&library);
	return is_found;
}

bool ghc_real_find(void)
{
	if (may_be_fixed() && find_in_program())
		return true;
	return symbols[PLACE_of_module].address == 0 && find_in_library();
}
