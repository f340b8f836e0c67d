/* SPDX-License-Identifier: MIT
 *
 * The module for a program that stays unchanged. If the program is linked with -Wl,--wrap=stm_init, its call of
 * stm_init() goes to __wrap_stm_init(), and __real_stm_init() is TinySTM's. Without that option the linker does not use
 * this file.
 */
#include <errno.h>

#include "stmlog_tinystm.h"
#include "environment.h"

void __real_stm_init(void);
void __wrap_stm_init(void);

void __wrap_stm_init(void)
{
	__real_stm_init();
	int error = stmlog_tinystm_init();
	if (error != 0 && error != -EALREADY)
		native_warn("could not be opened, or TinySTM has no room for one more module; nothing is recorded");
}
