/* SPDX-License-Identifier: MIT
 * The process ends because its last thread leaves by pthread_exit(). Exit handlers run then, and the status is 0.
 * usage: leave_last main|other
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

static pthread_t main_thread;

static void say_so(void)
{
	puts("the exit handler has run");
}

static void *be_other(void *waits)
{
	if (waits != NULL)
		pthread_join(main_thread, NULL);
	scenes_transact(10);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int is_main_last = argc > 1 && strcmp(argv[1], "main") == 0;
	main_thread = pthread_self();
	atexit(say_so);
	scenes_transact(10);
	if (pthread_create(&thread, NULL, be_other, is_main_last ? NULL : &main_thread) != 0)
		return 1;
	if (is_main_last)
		pthread_join(thread, NULL);
	pthread_exit(NULL);
}
