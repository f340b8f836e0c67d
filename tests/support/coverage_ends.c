/* SPDX-License-Identifier: MIT
 * Stores the counters of branches before a process of a unit test ends in a way that stores none. Only builds with
 * COVERAGE=1 link it: there the linker calls __wrap_X() in place of X(). */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of gcc's library of counters, which has no header that declares them in all versions. */
void __gcov_dump(void);
void __gcov_reset(void);

void __wrap__exit(int status);
void __wrap_abort(void);
int __wrap_raise(int number);
int __wrap_execv(const char *path, char *const argv[]);
int __wrap_execvp(const char *file, char *const argv[]);
long __wrap_syscall(long number, ...);
void __real__exit(int status) __attribute__((noreturn));
void __real_abort(void) __attribute__((noreturn));
int __real_raise(int number);
int __real_execv(const char *path, char *const argv[]);
int __real_execvp(const char *file, char *const argv[]);
long __real_syscall(long number, ...);

/* A signal that comes from elsewhere may have interrupted the C library in the middle of its locks, which storing
 * needs.
 */
static _Thread_local volatile bool is_raising;

/* From 0 again, because the process may go on, and store them once more. */
static void store_counters(void)
{
	__gcov_dump();
	__gcov_reset();
}

void __wrap__exit(int status)
{
	store_counters();
	__real__exit(status);
}

void __wrap_abort(void)
{
	store_counters();
	__real_abort();
}

int __wrap_raise(int number)
{
	bool was_raising = is_raising;
	store_counters();
	is_raising = true;
	int error = __real_raise(number);
	is_raising = was_raising;
	return error;
}

int __wrap_execv(const char *path, char *const argv[])
{
	store_counters();
	return __real_execv(path, argv);
}

int __wrap_execvp(const char *file, char *const argv[])
{
	store_counters();
	return __real_execvp(file, argv);
}

/* A handler sends its signal once more, to end the process by it. */
long __wrap_syscall(long number, ...)
{
	long values[6];
	va_list arguments;
	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		values[i] = va_arg(arguments, long);
	va_end(arguments);
	if (is_raising && number == SYS_rt_tgsigqueueinfo)
		store_counters();
	return __real_syscall(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
