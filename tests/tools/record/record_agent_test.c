/* SPDX-License-Identifier: MIT
 * Where there is no agent: none lies beside this program, and there is none for another processor than x86-64. */
#include <string.h>

#include "capture_stderr.h"
#include "record.h"
#include "test.h"

#ifdef __x86_64__
static const char expected[] = "stmlog: libstmlog-itm.so: not found beside stmlog";
#else
static const char expected[] = "stmlog: record: the agents for libitm are for x86-64 only; ";
#endif

TEST(one_line_says_why_there_is_no_agent)
{
	char told[512];
	capture_stderr_begin();
	char *agent = record_agent_find(RECORD_LIBITM);
	capture_stderr_end(told, sizeof told);
	assert_null(agent);
	assert_memory_equal(told, expected, sizeof expected - 1);
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}
