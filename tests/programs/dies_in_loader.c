/* SPDX-License-Identifier: MIT
 *
 * Transacts, and then SIGKILL ends the process while the thread holds the dynamic linker's lock, as in a constructor of
 * a library that is loaded.
 */
#include <link.h>
#include <signal.h>

enum { COMMITS = 1000 };

static int counter;

static int die(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	(void)unused;
	return raise(SIGKILL);
}

int main(void)
{
	for (int i = 0; i < COMMITS; i++) {
		__transaction_atomic
		{
			counter++;
		}
	}
	return dl_iterate_phdr(die, NULL);
}
