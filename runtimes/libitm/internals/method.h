/* SPDX-License-Identifier: MIT
 *
 * libitm's methods: the algorithms by which it may run transactions, and which of them it will choose.
 */
#ifndef ITM_METHOD_H
#define ITM_METHOD_H

#include <stdbool.h>

enum itm_method {
	ITM_METHOD_LOCKS,              /* ml_wt */
	ITM_METHOD_GLOBAL_LOCK,        /* gl_wt */
	ITM_METHOD_SERIAL,             /* serial */
	ITM_METHOD_SERIAL_IRREVOCABLE, /* serialirr */
	ITM_METHOD_SERIAL_ON_WRITE,    /* serialirr_onwrite */
	ITM_METHOD_HARDWARE,           /* htm */
	ITM_METHODS
};

/* Its name, as in ITM_DEFAULT_METHOD and in all outputs. */
const char *itm_method_name(enum itm_method method);

/* The method that libitm will choose: the one in ITM_DEFAULT_METHOD; without that, as soon as a second thread
 * transacts, hardware transactions if the processor has them, otherwise ml_wt. */
enum itm_method itm_method_read(void);

/* Whether transactions of several threads run side by side in software, and wait in the kernel only for the serial
 * lock. */
static inline bool itm_method_is_optimistic(enum itm_method method)
{
	return method == ITM_METHOD_LOCKS || method == ITM_METHOD_GLOBAL_LOCK;
}

/* Whether libitm chooses by itself, for want of a valid ITM_DEFAULT_METHOD. */
bool itm_method_is_default(void);

#endif
