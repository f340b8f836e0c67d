/* SPDX-License-Identifier: MIT
 * One thread commits some transactions. Then the process ends in the middle of something that its author had in mind:
 * usage: last_words cancelled            exit(23), in a thread that is to be cancelled
 *        last_words cancelled-now        _exit(25), likewise
 *        last_words database FILE        like a daemon that has closed its standard streams: FILE is descriptor 2
 *        last_words limit                no file may grow
 *        last_words plainly
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scenes.h"

static void *end_while_cancelled(void *now)
{
	scenes_transact(10);
	pthread_cancel(pthread_self());
	if (now != NULL)
		_exit(25);
	exit(23);
}

static void end_in_thread(void *now)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, end_while_cancelled, now) == 0)
		pthread_join(thread, NULL);
	exit(1);
}

static void open_database(const char *path)
{
	for (int file = 0; file <= 2; file++)
		close(file);
	open("/dev/null", O_RDONLY);
	open("/dev/null", O_WRONLY);
	if (open(path, O_RDWR | O_CREAT, 0600) != 2)
		exit(1);
}

int main(int argc, char **argv)
{
	static const struct rlimit none = {0, 0};
	const char *way = argc > 1 ? argv[1] : "";
	scenes_transact(10);
	if (strncmp(way, "cancelled", 9) == 0)
		end_in_thread(way[9] != '\0' ? &way : NULL);
	else if (strcmp(way, "database") == 0 && argc > 2)
		open_database(argv[2]);
	else if (strcmp(way, "limit") == 0)
		setrlimit(RLIMIT_FSIZE, &none);
	return 0;
}
