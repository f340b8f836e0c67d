/* SPDX-License-Identifier: MIT
 * libitm's choice of a method, made the way libitm makes it. */
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

/* libitm makes the same test. */
static bool has_hardware(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_RTM) != 0;
}

/* True if `text` is the name, perhaps with blanks around it. */
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

/* The method in ITM_DEFAULT_METHOD. ITM_METHODS: none, or a value that libitm refuses. */
static enum itm_method wanted(void)
{
	const char *text = getenv("ITM_DEFAULT_METHOD");
	enum itm_method method = 0;
	while (method < ITM_METHODS && (text == NULL || !is_name(text, itm_method_name(method))))
		method++;
	return method;
}

enum itm_method itm_method_read(void)
{
	enum itm_method method = wanted();
	return method != ITM_METHODS ? method : has_hardware() ? ITM_METHOD_HARDWARE : ITM_METHOD_LOCKS;
}

bool itm_method_is_default(void)
{
	return wanted() == ITM_METHODS;
}
