/* SPDX-License-Identifier: MIT
 * libitm's choice of a method. */
#include "method.h"

#include <cpuid.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *itm_method_name(enum itm_method method)
{
	static const char *const names[ITM_METHODS] = {
		[ITM_METHOD_LOCKS] = "ml_wt",
		[ITM_METHOD_GLOBAL_LOCK] = "gl_wt",
		[ITM_METHOD_SERIAL] = "serial",
		[ITM_METHOD_SERIAL_IRREVOCABLE] = "serialirr",
		[ITM_METHOD_SERIAL_ON_WRITE] = "serialirr_onwrite",
		[ITM_METHOD_HARDWARE] = "htm",
	};
	return names[method];
}

/* As libitm looks for it. */
static bool has_hardware(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_RTM) != 0;
}

/* True if `text` is the name, and blanks around it. */
static bool is_name(const char *text, const char *name)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(name);
	if (strncmp(text, name, len) != 0)
		return false;
	for (text += len; isspace((unsigned char)*text); text++)
		;
	return *text == '\0';
}

enum itm_method itm_method_read(void)
{
	const char *text = getenv("ITM_DEFAULT_METHOD");
	for (enum itm_method method = 0; text != NULL && method < ITM_METHODS; method++)
		if (is_name(text, itm_method_name(method)))
			return method;
	return has_hardware() ? ITM_METHOD_HARDWARE : ITM_METHOD_LOCKS;
}
