/* SPDX-License-Identifier: MIT
 *
 * The real functions behind those of an agent that is linked into the program. The linker gets --wrap for each name in
 * entries.inc; the build makes that from the exports of the preloaded agent. So a call of X goes to __wrap_X, the
 * agent's, and a reference to __real_X means X.
 */
#include "entries.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

const bool itm_is_preloaded = false;

/* Only their addresses are used, so all are declared alike. */
#define ENTRY(name) extern const char __real_##name[];
#include "entries.inc"
#undef ENTRY
extern const char _ITM_addUserUndoAction[], _ITM_inTransaction[], __libc_start_main[];

static const struct {
	const char *name;
	const char *code;
} linked[] = {
#define ENTRY(name) {#name, __real_##name},
#include "entries.inc"
#undef ENTRY
	{"_ITM_inTransaction", _ITM_inTransaction},
	{"_ITM_addUserUndoAction", _ITM_addUserUndoAction},
	{"__libc_start_main", __libc_start_main},
};

void *itm_real(const char *name)
{
	for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
		if (strcmp(linked[i].name, name) == 0)
			return (void *)(uintptr_t)linked[i].code;
	return NULL;
}

void *itm_real_of_libitm(const char *name)
{
	return itm_real(name);
}
