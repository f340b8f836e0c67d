/* SPDX-License-Identifier: MIT
 *
 * The way into a program that was not linked with the module: the module is preloaded. Some functions of the RTS have
 * hooks (functions.def). Before `main` runs, the module redirects the RTS's own calls of these functions to the hooks.
 * A program that is not exactly as expected is left alone.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "detour.h"
#include "image.h"
#include "real.h"
#include "warning.h"

/* ---- the functions ---- */

enum {
#define HOOKED(member, name, calls) HOOK_##member,
#include "functions.def"
	HOOKS
};

/* The symbols: the functions of the RTS, in the order of struct ghc_real; then two that must be absent. */
enum {
#define HOOKED(member, name, calls) PLACE_##member,
#define CALLED(member, name) PLACE_##member,
#include "functions.def"
	PLACES,
	PLACE_of_module = PLACES,
	PLACE_of_debugging,
	SYMBOLS
};
_Static_assert(sizeof(struct ghc_real) == PLACES * sizeof(uintptr_t), "functions.def has all members");

static struct image_symbol symbols[SYMBOLS] = {
#define HOOKED(member, name, calls) {#name, 0},
#define CALLED(member, name) {#name, 0},
#include "functions.def"
	[PLACE_of_module] = {"__wrap_stmStartTransaction", 0}, /* the module was linked into the program */
	[PLACE_of_debugging] = {"checkSanity", 0},             /* only the RTS of -debug has it */
};

#define HOOKED(member, name, calls) extern const char __wrap_##name[];
#include "functions.def"

static const void *const hooks[HOOKS] = {
#define HOOKED(member, name, calls) __wrap_##name,
#include "functions.def"
};

static const size_t known_calls[HOOKS] = {
#define HOOKED(member, name, calls) (calls),
#include "functions.def"
};

/* ---- the program ---- */

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
	for (size_t i = 0; i < PLACES; i++)
		if (!image_has(image, symbols[i].address, 1))
			return false;
	return image_has(image, symbols[PLACE_atomically].address, GHC_ATOMICALLY_BYTES);
}

/* ---- its calls ---- */

#define SEGMENTS_MAX 8

static void find_calls(const struct image *image, struct calls *calls)
{
	uintptr_t functions[HOOKS];
	struct image_segment code[SEGMENTS_MAX];
	for (size_t i = 0; i < HOOKS; i++)
		functions[i] = symbols[i].address;
	size_t len = image_find_code(image, code, SEGMENTS_MAX);
	for (size_t i = 0; i < len; i++)
		calls_find(calls, (unsigned char *)code[i].start, code[i].size, functions, HOOKS);
}

static bool are_known(const struct calls *calls)
{
	for (size_t i = 0; i < HOOKS; i++)
		if (calls_of(calls, i) != known_calls[i])
			return false;
	return true;
}

static void set_functions(void)
{
	uintptr_t addresses[PLACES];
	for (size_t i = 0; i < PLACES; i++)
		addresses[i] = symbols[i].address;
	memcpy((void *)&ghc_real, addresses, sizeof ghc_real);
}

static bool redirect_calls(const struct image *image)
{
	struct calls calls = {.len = 0};
	find_calls(image, &calls);
	if (!are_known(&calls)) {
		native_warn("nothing is recorded: this program's run-time system has other calls than that of GHC "
			    "9.0 to 9.10; link the program with stmlog-ghc.wrap");
		return false;
	}
	set_functions();
	if (!detour_redirect(&calls, hooks, HOOKS)) {
		native_warn("nothing is recorded: the system lets nobody change the program's code; link the program "
			    "with stmlog-ghc.wrap");
		return false;
	}
	return true;
}

/* Whether the file shows that the module can be used. Prints no warning: the record command says why a program of GHC
 * is left alone, if the file shows that. */
static bool is_for_module(const struct image *image)
{
	return image_is_fixed(image) && image_find_symbols(image, symbols, SYMBOLS) &&
	       symbols[PLACE_of_module].address == 0 && symbols[PLACE_of_debugging].address == 0 && has_all(image) &&
	       ghc_rts_is_known((const unsigned char *)symbols[PLACE_atomically].address);
}

bool ghc_real_find(void)
{
	if (!may_be_fixed())
		return false;
	struct image image = map_program();
	bool is_redirected = is_for_module(&image) && redirect_calls(&image);
	if (image.size != 0)
		munmap((void *)(uintptr_t)image.bytes, image.size);
	return is_redirected;
}
