/* SPDX-License-Identifier: MIT
 *
 * A bulletin board: messages are appended to one list for all threads, and readers look at the messages of an author.
 */
#include "crew.h"

enum { SLOTS = 1 << 13, LEN = 128, AUTHORS = 256, THREADS = CREW_THREADS(2) };

struct message {
	struct message *next;
	long author;
	long text[LEN];
};

struct board {
	_Alignas(128) struct message *head, *tail;
};

static struct board boards[THREADS]; /* without the fix only the first one */
static struct message *slots[THREADS];
static struct {
	_Alignas(64) long posted, length;
} authors[AUTHORS];

TM_SAFE static void append(struct board *board, struct message *message)
{
	message->next = NULL;
	if (board->tail == NULL)
		board->head = message;
	else
		board->tail->next = message;
	board->tail = message;
}

static void post(struct member *me, struct message *message)
{
#ifdef FIXED
	struct board *board = &boards[me->number];
#else
	struct board *board = &boards[0];
#endif
	long author = (long)member_random(me, AUTHORS), word = (long)member_random(me, 1000);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		append(board, message);
		message->author = author;
		for (int i = 0; i < LEN; i++)
			message->text[i] = word + i;
		authors[author].posted++;
		authors[author].length += LEN;
		stamp_last();
	}
	stamp_after();
}

static long count_of(struct member *me)
{
	long author = (long)member_random(me, AUTHORS), posted;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		posted = authors[author].posted;
		stamp_last();
	}
	stamp_after();
	return posted;
}

static void write_and_read(struct member *me)
{
	static long seen[THREADS];
	for (long i = 0; is_open(); i = (i + 1) % SLOTS) {
		post(me, &slots[me->number][i]);
		seen[me->number] += count_of(me);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < THREADS; i++) {
		slots[i] = calloc(SLOTS, sizeof(struct message));
		if (slots[i] == NULL)
			return 1;
	}
	return crew_run(argc, argv, THREADS, write_and_read);
}
