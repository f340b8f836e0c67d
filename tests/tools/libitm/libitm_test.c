/* SPDX-License-Identifier: MIT
 * What is known of a libitm, as text. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libitm.h"
#include "test.h"

TEST(findings_are_read_piece_by_piece)
{
	struct libitm_value values[LIBITM_PIECES];
	assert_true(libitm_read(",counters=108,locks=18400", values));
	assert_string_equal(values[LIBITM_COUNTERS].hex, "108");
	assert_string_equal(values[LIBITM_LOCKS].hex, "18400");
	assert_string_equal(values[LIBITM_COMMITS].hex, "");
	assert_true(libitm_read("", values));
	assert_string_equal(values[LIBITM_COUNTERS].hex, "");
	assert_false(libitm_read(",counters=108,", values));
	assert_false(libitm_read(",counters=108,counters=109", values));
	static const char *const bad[] = {",counters=", ",counters=zz", ",other=1", ",locks=1,counters=1", "counters=1",
		",counters=108:out=/etc/passwd", ",counters=12345678901234567"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(libitm_read(bad[i], values));
}

TEST(the_agent_is_told_of_which_one_it_is)
{
	char findings[] = ",counters=108";
	struct libitm libitm = {.findings = findings, .id = "52e5"};
	char *variable = libitm_variable(&libitm);
	assert_string_equal(variable, "id=52e5,counters=108");
	free(variable);
	libitm.findings = NULL;
	assert_null(libitm_variable(&libitm));
}

static void expect(const char *list, const char *expected)
{
	OWNED(owned_free) char *found = libitm_in_list(list);
	if (expected == NULL)
		assert_null(found);
	else
		assert_string_equal(found, expected);
}

/* Only paths of files that exist are taken from the list. */
TEST(the_loaders_list_has_the_path)
{
	char name[] = "/tmp/libitm_test.XXXXXX", file[64], list[256];
	assert_non_null(mkdtemp(name));
	strcat(strcpy(file, name), "/libitm.so.1");
	assert_int_equal(system(strcat(strcpy(list, ": >"), file)), 0);
	static const char *const forms[] = {"\tlibitm.so.1 => @ (0x00007f)\n", "\t@ (0x00007f)\n",
		"\tlinux-vdso.so.1 (0x7)\n\tlibc.so.6 => /lib/libc.so.6 (0x7)\n\tlibitm.so.1 => @ (0x7)\n"};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t before = strcspn(forms[i], "@");
		list[0] = '\0';
		strcat(strcat(strncat(list, forms[i], before), file), forms[i] + before + 1);
		expect(list, file);
	}
	expect("", NULL);
	expect("\tlibitm.so.1 => not found\n", NULL);
	expect("\tstatically linked\n", NULL);
	expect("\tlibitm.so.1 => /nonexistent/libitm.so.1 (0x7)\n", NULL);
	expect("\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x7)\n", NULL);
	strcat(strcpy(list, "exec rm -r "), name);
	assert_int_equal(system(list), 0);
}

TEST(a_child_that_fails_or_hangs_has_said_nothing)
{
	char *said = libitm_output_of((char *[]){"/bin/echo", "text", NULL}, true);
	assert_string_equal(said, "text\n");
	free(said);
	assert_null(libitm_output_of((char *[]){"/bin/sh", "-c", "echo text; exit 1", NULL}, true));
	assert_null(libitm_output_of((char *[]){"/bin/sh", "-c", "echo text; kill -9 $$", NULL}, true));
	assert_null(libitm_output_of((char *[]){"/bin/sh", "-c", "exec yes", NULL}, true));
	assert_null(libitm_output_of((char *[]){"/nonexistent", NULL}, true));
	assert_null(libitm_output_of((char *[]){"/bin/sleep", "1000", NULL}, true));
}

/* Closes those of the three standard files that are bits of `closed`, runs echo, and opens them again. */
static char *say_without(unsigned closed)
{
	int kept[3];
	for (int fd = 0; fd < 3; fd++)
		kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	for (int fd = 0; fd < 3; fd++)
		if (closed & 1u << fd)
			close(fd);
	char *said = libitm_output_of((char *[]){"/bin/echo", "text", NULL}, true);
	for (int fd = 0; fd < 3; fd++) {
		dup2(kept[fd], fd);
		close(kept[fd]);
	}
	return said;
}

/* Then the ends of the pipe have the numbers of those files. */
TEST(standard_files_may_be_closed)
{
	for (unsigned closed = 0; closed < 8; closed++) {
		OWNED(owned_free) char *said = say_without(closed);
		assert_non_null(said);
		assert_string_equal(said, "text\n");
	}
}
