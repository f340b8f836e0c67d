/* SPDX-License-Identifier: MIT
 *
 * Under which of its methods libitm runs transactions.
 */
#ifndef ITM_METHOD_H
#define ITM_METHOD_H

#include <stdbool.h>

/* libitm's methods. */
enum itm_method {
	ITM_METHOD_LOCKS,
	ITM_METHOD_GLOBAL_LOCK,
	ITM_METHOD_SERIAL,
	ITM_METHOD_SERIAL_IRREVOCABLE,
	ITM_METHOD_SERIAL_ON_WRITE,
	ITM_METHOD_HARDWARE,
	ITM_METHODS
};

/* Its name, as libitm and every output have it. */
const char *itm_method_name(enum itm_method method);

/* The one that libitm will choose: what ITM_DEFAULT_METHOD says; else, as soon as a second thread transacts, hardware
 * transactions where the processor has them, and locks where not. */
enum itm_method itm_method_read(void);

/* Whether nobody has said which. */
bool itm_method_is_default(void);

#endif
