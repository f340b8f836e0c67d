/* SPDX-License-Identifier: MIT
 *
 * A pre-forked server. Four workers accept connections at one socket of the loopback device; each of their threads
 * serves some, with a hundred transactions for each. The first process is the client, and has no transactions.
 * usage: server [THREADS [CONNECTIONS]]     of each worker; of each thread
 */
#include "program.h"
#include "total.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 4, CONNECTIONS = 5, TRANSACTIONS = 100 };

static int door; /* where all workers accept */
static unsigned connections;

static void serve(unsigned number)
{
	for (unsigned i = 0; i < connections; i++) {
		int client = accept(door, NULL, NULL);
		for (unsigned k = 0; k < TRANSACTIONS; k++)
			total_add(number + 1);
		if (client < 0 || write(client, "!", 1) != 1)
			exit(1);
		close(client);
	}
}

static struct sockaddr_in open_door(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	door = socket(AF_INET, SOCK_STREAM, 0);
	if (door < 0 || bind(door, (struct sockaddr *)&address, len) != 0 || listen(door, SOMAXCONN) != 0 ||
		getsockname(door, (struct sockaddr *)&address, &len) != 0)
		exit(3);
	return address;
}

static bool ask(const struct sockaddr_in *address)
{
	char answer = 0;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	bool is_answered = connect(server, (const struct sockaddr *)address, sizeof *address) == 0 &&
			   read(server, &answer, 1) == 1;
	close(server);
	return is_answered && answer == '!';
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv), answers = 0;
	connections = program_number(argc, argv, 2, CONNECTIONS);
	struct sockaddr_in address = open_door();
	for (unsigned i = 0; i < WORKERS; i++) {
		if (fork() != 0)
			continue;
		program_run(threads, serve);
		exit(0);
	}
	unsigned expected = WORKERS * threads * connections;
	for (unsigned i = 0; i < expected; i++)
		answers += ask(&address);
	bool is_right = answers == expected;
	for (int i = 0, status = 0; i < WORKERS; i++)
		is_right = wait(&status) > 0 && status == 0 && is_right;
	return program_result(is_right, (uint64_t)answers * TRANSACTIONS);
}
