/* SPDX-License-Identifier: MIT
 * Two threads start others that transact and end; a third one forks, and its children transact. libitm does nothing at
 * a fork, so that some of them hang. Prints how many. usage: fork_hangs FORKS */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long counter;
static volatile int is_over;

static void *transact(void *arg)
{
	for (int i = 0; i < 3; i++) {
		__transaction_atomic
		{
			counter++;
		}
	}
	return arg;
}

static void *start_others(void *arg)
{
	pthread_t thread;
	while (!is_over)
		if (pthread_create(&thread, NULL, transact, NULL) == 0)
			pthread_join(thread, NULL);
	return arg;
}

static int hangs_in_child(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		alarm(1);
		transact(NULL);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

int main(int argc, char **argv)
{
	pthread_t starters[2];
	int forks = argc > 1 ? atoi(argv[1]) : 100, hangs = 0;
	transact(NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&starters[i], NULL, start_others, NULL) != 0)
			return 3;
	for (int i = 0; i < forks; i++)
		hangs += hangs_in_child();
	is_over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(starters[i], NULL);
	printf("%d\n", hangs);
	return 0;
}
