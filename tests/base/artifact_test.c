/* SPDX-License-Identifier: MIT
 * Output files that appear as a whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "artifact.h"
#include "test.h"

static char directory[64];
static char path[128];

static enum artifact_way way; /* of the case that runs */

static void set_up(void)
{
	way = ARTIFACT_AT_ONCE;
	strcpy(directory, "/tmp/stmlog-artifact-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/file", directory);
}

static void tear_down(void)
{
	unlink(path);
	assert_int_equal(rmdir(directory), 0); /* nothing else is left in it */
}

static void set_up_named(void)
{
	set_up();
	way = ARTIFACT_NAMED;
}

static const struct test_fixture at_once_fixture = {set_up, tear_down};
static const struct test_fixture named_fixture = {set_up_named, tear_down};

#define TEST_OF_BOTH(claim) TEST_TWICE(at_once_fixture, named_fixture, when_named, claim)

static void write_with(int error)
{
	struct artifact artifact;
	assert_int_equal(artifact_begin(&artifact, path, way), 0);
	assert_int_equal(write(artifact.fd, "new", 3), 3);
	assert_int_equal(artifact_end(&artifact, error), error);
}

static void assert_content(const char *expected)
{
	char content[16] = "";
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof content - 1) >= 0);
	close(fd);
	assert_string_equal(content, expected);
}

static void put_old_content(void)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("old", file);
	fclose(file);
}

TEST_OF_BOTH(it_replaces_what_was_there_as_a_whole)
{
	write_with(0);
	assert_content("new");
	put_old_content();
	write_with(0);
	assert_content("new");
}

TEST_OF_BOTH(a_failed_one_leaves_the_old_content_and_nothing_else)
{
	put_old_content();
	write_with(-EIO);
	assert_content("old");
	unlink(path);
	write_with(-EIO);
	assert_int_equal(access(path, F_OK), -1);
}

TEST_OF_BOTH(what_is_no_regular_file_is_written_to_and_stays)
{
	struct stat status;
	struct artifact artifact;
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	write_with(0);
	char content[4] = "";
	assert_int_equal(read(reader, content, 3), 3);
	assert_string_equal(content, "new");
	close(reader);
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(artifact_begin(&artifact, "/dev/full", way), 0);
	assert_int_equal(artifact_end(&artifact, -ENOSPC), -ENOSPC);
	assert_int_equal(stat("/dev/full", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

TEST_OF_BOTH(a_fifo_that_nobody_reads_is_an_error_at_once)
{
	struct artifact artifact;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(artifact_begin(&artifact, path, way), -ENXIO);
}

static struct stat status_of(const char *name)
{
	struct stat status;
	assert_int_equal(lstat(name, &status), 0);
	return status;
}

TEST_OF_BOTH(a_file_that_is_written_again_keeps_its_mode_and_its_owner)
{
	uid_t owner = geteuid() == 0 ? 12345 : geteuid();
	put_old_content();
	assert_int_equal(chmod(path, 0604), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
	ino_t before = status_of(path).st_ino;
	write_with(0);
	assert_content("new");
	struct stat status = status_of(path);
	assert_int_equal(status.st_mode & 0777, 0604);
	assert_int_equal(status.st_uid, owner);
	assert_true(status.st_ino != before); /* as a whole */
}

/* A new file is private until it has the older one's mode, whatever the umask. */
TEST_OF_BOTH(one_that_replaces_a_private_file_is_private_from_the_beginning)
{
	struct artifact artifact;
	struct stat status;
	put_old_content();
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(artifact_begin(&artifact, path, way), 0);
	assert_int_equal(fstat(artifact.fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(artifact_end(&artifact, -EIO), -EIO);
}

static char *beside(const char *end)
{
	static char name[160];
	snprintf(name, sizeof name, "%s%s", path, end);
	return name;
}

TEST_OF_BOTH(a_symbolic_link_is_followed_and_stays_one)
{
	put_old_content();
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(rename(path, beside(".target")), 0);
	assert_int_equal(symlink(beside(".target"), path), 0);
	write_with(-EIO);
	assert_content("old");
	write_with(0);
	assert_content("new");
	assert_true(S_ISLNK(status_of(path).st_mode));
	assert_int_equal(status_of(beside(".target")).st_mode & 0777, 0600);
	assert_int_equal(unlink(beside(".target")), 0);
	write_with(0); /* the link leads nowhere */
	assert_content("new");
	assert_true(S_ISLNK(status_of(path).st_mode));
	assert_int_equal(unlink(beside(".target")), 0);
}

enum { OTHER_USER = 65534 };

TEST_OF_BOTH(a_link_that_the_owner_of_its_directory_has_made_is_followed)
{
	if (geteuid() != 0)
		skip();
	put_old_content();
	assert_int_equal(rename(path, beside(".target")), 0);
	assert_int_equal(symlink(strrchr(beside(".target"), '/') + 1, path), 0);
	assert_int_equal(lchown(path, OTHER_USER, OTHER_USER), 0);
	assert_int_equal(chown(directory, OTHER_USER, OTHER_USER), 0);
	write_with(0);
	assert_true(S_ISLNK(status_of(path).st_mode));
	assert_content("new");
	assert_int_equal(unlink(beside(".target")), 0);
}

TEST_OF_BOTH(another_users_link_gives_its_place_to_the_new_file)
{
	if (geteuid() != 0)
		skip();
	put_old_content();
	assert_int_equal(rename(path, beside(".target")), 0);
	assert_int_equal(symlink(beside(".target"), path), 0);
	assert_int_equal(lchown(path, OTHER_USER, OTHER_USER), 0);
	write_with(-EIO);
	assert_true(S_ISLNK(status_of(path).st_mode));
	write_with(0);
	assert_content("new");
	assert_true(S_ISREG(status_of(path).st_mode));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(beside(".target"), path), 0);
	assert_content("old");
}

TEST_OF_BOTH(all_names_of_a_file_stay_names_of_one_file)
{
	put_old_content();
	assert_int_equal(link(path, beside(".other")), 0);
	FILE *longer = fopen(path, "a");
	fputs(" and longer", longer);
	fclose(longer);
	write_with(-EIO);
	assert_content("old and longer");
	write_with(0);
	assert_content("new");
	assert_int_equal(status_of(path).st_ino, status_of(beside(".other")).st_ino);
	assert_int_equal(unlink(beside(".other")), 0);
}

/* As on a full disk: of the whole, only a part finds room in the file. */
TEST_OF_BOTH(content_for_which_there_is_no_room_leaves_the_old_one)
{
	struct artifact artifact;
	struct rlimit before, small;
	put_old_content();
	assert_int_equal(link(path, beside(".other")), 0);
	assert_int_equal(artifact_begin(&artifact, path, way), 0);
	assert_int_equal(write(artifact.fd, "0123456789", 10), 10);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){4, before.rlim_max};
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int error = artifact_end(&artifact, 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, handler);
	assert_int_equal(error, -EFBIG);
	assert_content("old");
	assert_int_equal(unlink(beside(".other")), 0);
}

/* Rights of one more user, as setfacl(1) gives them. */
TEST_OF_BOTH(a_file_keeps_its_access_control_list)
{
	static const char name[] = "system.posix_acl_access";
	enum { OWNER = 1, USER = 2, GROUP = 4, MASK = 16, OTHER = 32, SOMEBODY = 1234 };
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t id;
		} entries[5];
	} list = {2, {{OWNER, 6, UINT32_MAX}, {USER, 4, SOMEBODY}, {GROUP, 0, UINT32_MAX}, {MASK, 4, UINT32_MAX},
			     {OTHER, 0, UINT32_MAX}}};
	char kept[sizeof list];
	put_old_content();
	if (setxattr(path, name, &list, sizeof list, 0) != 0)
		skip();
	write_with(0);
	assert_content("new");
	assert_int_equal(getxattr(path, name, kept, sizeof kept), sizeof kept);
	assert_memory_equal(kept, &list, sizeof kept);
}

TEST_OF_BOTH(one_free_descriptor_is_enough_to_write_a_file_again)
{
	struct rlimit before, few;
	put_old_content();
	int first_free = dup(STDIN_FILENO);
	close(first_free);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){(rlim_t)first_free + 1, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	write_with(0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_content("new");
}

static void become_user(uid_t user)
{
	assert_int_equal(seteuid(user), 0);
}

/* A file of root's that all may write, in a directory of nobody's or of root's. */
TEST_OF_BOTH(a_file_of_somebody_else_stays_theirs)
{
	enum { NOBODY = 65534 };
	if (geteuid() != 0)
		skip();
	put_old_content();
	assert_int_equal(chmod(path, 0666), 0);
	for (int is_own = 0; is_own < 2; is_own++) {
		assert_int_equal(chmod(directory, 0755), 0);
		assert_int_equal(chown(directory, is_own ? NOBODY : 0, (gid_t)-1), 0);
		become_user(NOBODY);
		write_with(0);
		become_user(0);
		assert_content("new");
		assert_int_equal(status_of(path).st_uid, 0);
		put_old_content();
	}
}

TEST_OF_BOTH(a_file_that_this_user_may_not_write_is_an_error)
{
	enum { NOBODY = 65534 };
	struct artifact artifact;
	if (geteuid() != 0)
		skip();
	put_old_content();
	assert_int_equal(chmod(directory, 0777), 0);
	become_user(NOBODY);
	int error = artifact_begin(&artifact, path, way);
	become_user(0);
	assert_int_equal(error, -EACCES);
	assert_content("old");
}

/* Somebody else lets the path be a FIFO and a link to a file of ours in turns. */
static _Noreturn void swap_for_ever(const char *other)
{
	for (;;)
		renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
}

static void write_to_the_one_or_the_other(int reader)
{
	struct artifact artifact;
	char written[8];
	if (artifact_begin(&artifact, path, way) != 0)
		return;
	assert_int_equal(write(artifact.fd, "new", 3), 3);
	artifact_end(&artifact, -EIO); /* so that neither is replaced */
	while (read(reader, written, sizeof written) > 0)
		continue;
}

TEST_OF_BOTH(an_error_leaves_a_file_as_it_was_that_takes_turns_with_a_fifo)
{
	enum { TRIES = 10000 };
	char victim[160], other[160];
	snprintf(victim, sizeof victim, "%s.victim", path);
	snprintf(other, sizeof other, "%s.other", path);
	int made = open(victim, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(made, "secret", 6), 6);
	close(made);
	assert_int_equal(symlink(victim, other), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	pid_t child = fork();
	if (child == 0)
		swap_for_ever(other);
	for (int i = 0; i < TRIES; i++)
		write_to_the_one_or_the_other(reader);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(reader);
	unlink(path);
	unlink(other);
	assert_int_equal(rename(victim, path), 0);
	assert_content("secret");
}

/* Between the end of writing and the rename somebody puts a link to a file of yours in place of the temporary one. */
TEST_OF_BOTH(a_link_that_was_put_in_place_of_it_changes_no_other_file)
{
	struct stat status;
	struct artifact artifact;
	char victim[160];
	snprintf(victim, sizeof victim, "%s.victim", path);
	close(open(victim, O_WRONLY | O_CREAT | O_EXCL, 0600));
	assert_int_equal(artifact_begin(&artifact, path, ARTIFACT_NAMED), 0);
	assert_int_equal(unlink(artifact.beside), 0);
	assert_int_equal(symlink(victim, artifact.beside), 0);
	assert_int_equal(artifact_end(&artifact, 0), 0);
	assert_int_equal(stat(victim, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	unlink(victim);
}

TEST_OF_BOTH(the_umask_decides_who_may_read_a_new_one)
{
	struct stat status;
	mode_t before = umask(027);
	write_with(0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(unlink(path), 0);
	umask(077);
	write_with(0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	umask(before);
}

static bool is_beside(const char *end)
{
	return access(beside(end), F_OK) == 0;
}

static void put_beside(const char *end)
{
	close(open(beside(end), O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static void take_from_beside(const char *end)
{
	assert_int_equal(unlink(beside(end)), 0);
}

TEST_OF_BOTH(one_that_is_being_written_has_no_name_where_that_can_be)
{
	struct artifact artifact;
	assert_int_equal(artifact_begin(&artifact, path, ARTIFACT_AT_ONCE), 0);
	if (!artifact.is_nameless)
		skip();
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(artifact_end(&artifact, 0), -ENOENT);
	assert_int_equal(mkdir(directory, 0700), 0);
}

TEST_OF_BOTH(sweeping_removes_what_a_killed_process_has_left_and_nothing_else)
{
	static const char *const kept[] = {".backup", ".stmlog-backups", ".stmlog-Backup", ".stmlog-abcde"};
	struct artifact artifact;
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		put_beside(kept[i]);
	put_beside(".stmlog-abcdef");
	assert_int_equal(artifact_begin(&artifact, path, ARTIFACT_NAMED), 0);
	artifact_sweep(path);
	assert_false(is_beside(".stmlog-abcdef"));
	assert_int_equal(artifact_end(&artifact, 0), 0); /* it was not swept away, because it is locked */
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		take_from_beside(kept[i]);
}

TEST(only_errors_that_another_place_does_not_mend_have_a_remedy_of_their_own)
{
	assert_non_null(strstr(artifact_remedy(-ENOMEM), "more memory"));
	assert_non_null(strstr(artifact_remedy(-EFBIG), "larger files"));
	assert_null(artifact_remedy(-ENOSPC));
	assert_null(artifact_remedy(0));
}

TEST_OF_BOTH(a_place_that_cannot_be_is_said)
{
	struct artifact artifact;
	static char longest[PATH_MAX];
	memset(longest, 'x', sizeof longest - 1);
	assert_int_equal(artifact_begin(&artifact, "/nowhere/at/all", way), -ENOENT);
	assert_int_equal(artifact_begin(&artifact, longest, way), -ENAMETOOLONG);
	assert_int_equal(artifact_begin(&artifact, directory, way), -EISDIR);
}
