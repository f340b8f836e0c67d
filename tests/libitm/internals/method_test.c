/* SPDX-License-Identifier: MIT
 * libitm's choice of a method, from the environment and the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"
#include "test.h"

/* Asks the kernel about the processor, which is another way than the one under test. */
static enum itm_method default_method(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[8192];
	enum itm_method method = ITM_METHOD_LOCKS;
	assert_non_null(file);
	while (fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "flags", 5) == 0 && strstr(line, " rtm") != NULL)
			method = ITM_METHOD_HARDWARE;
	fclose(file);
	return method;
}

static enum itm_method method_with(const char *text)
{
	setenv("ITM_DEFAULT_METHOD", text, 1);
	enum itm_method method = itm_method_read();
	unsetenv("ITM_DEFAULT_METHOD");
	return method;
}

TEST(each_name_is_read)
{
	for (enum itm_method method = 0; method < ITM_METHODS; method++)
		assert_int_equal(method_with(itm_method_name(method)), method);
	assert_true(itm_method_is_default());
	setenv("ITM_DEFAULT_METHOD", "serial", 1);
	assert_false(itm_method_is_default());
	assert_int_equal(method_with("  gl_wt "), ITM_METHOD_GLOBAL_LOCK);
}

TEST(what_is_no_name_leaves_the_default)
{
	static const char *const texts[] = {"", " ", "ml", "ml_wtx", "serialirr_", "htm ml_wt", "ML_WT"};
	unsetenv("ITM_DEFAULT_METHOD");
	assert_int_equal(itm_method_read(), default_method());
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(method_with(texts[i]), default_method());
}
