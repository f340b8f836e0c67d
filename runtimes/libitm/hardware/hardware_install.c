/* SPDX-License-Identifier: MIT
 *
 * Has the hook of begin call hardware_begin.S instead of libitm's begin. This may be done only before the first
 * transaction, and only if every instruction of libitm's begin is known: otherwise the two might not do the same.
 */
#include "hardware.h"

#include <stddef.h>
#include <string.h>

#include "asm_shared.h"
#include "entries.h"
#include "hardware_code.h"
#include "requires.h"

_Static_assert(offsetof(struct itm_serial_lock, writers) == ITM_SERIAL_WRITERS, "asm_shared.h");
_Static_assert(offsetof(struct itm_serial_lock, fastpath) == ITM_SERIAL_FASTPATH, "asm_shared.h");
_Static_assert(offsetof(struct itm_hardware_code, lock) == 0, "hardware_begin.S");
_Static_assert(offsetof(struct itm_hardware_code, software_begin) == 8, "hardware_begin.S");

extern uint32_t itm_hardware_begin(uint32_t properties, ...) __attribute__((visibility("hidden")));

void itm_hardware_install(enum itm_method method)
{
	const uint8_t *begin;
	REQUIRES(itm_real_begin != NULL);
	memcpy(&begin, &itm_real_begin, sizeof begin);
	if (method == ITM_METHOD_HARDWARE && itm_hardware_code_read(begin, &itm_hardware))
		itm_real_begin = itm_hardware_begin;
}
