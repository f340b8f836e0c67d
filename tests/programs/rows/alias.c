/* SPDX-License-Identifier: MIT
 *
 * A mail server. Two threads deliver to a mailbox each; the mailboxes lie in one large pool. The fault: the second one
 * is put where libitm's table of locks has the same lock for it as for the first one, megabytes away. Without the fault
 * it is put 32 bytes further on, at the next lock. usage: alias with|without
 */
#include "meeting.h"
#include "program.h"

#include <stddef.h>

enum { BOXES = 2, MAILS = 250, SCANNING = 100000, FILING = 100000, STRIPE = 32, STRIPES = 1 << 20 };

struct mailbox {
	uint64_t mails, bytes, longest, last_sender;
};

/* Only the pages with the mailboxes are touched. */
static _Alignas(64) unsigned char pool[(size_t)STRIPES * STRIPE];
static struct mailbox *boxes[BOXES];
static bool is_planted;

/* As in libitm's method-ml. */
static uint32_t lock_of(const void *address)
{
	return (uint32_t)((uintptr_t)address / STRIPE) * 81007u >> 16;
}

static struct mailbox *box_at(size_t stripe)
{
	return (struct mailbox *)(void *)&pool[stripe * STRIPE];
}

static bool place_boxes(void)
{
	size_t stripe = 1;
	while (stripe + 1 < STRIPES && lock_of(box_at(stripe)) != lock_of(box_at(0)))
		stripe++;
	boxes[0] = box_at(0);
	boxes[1] = box_at(is_planted ? stripe : stripe + 1);
	return stripe + 1 < STRIPES;
}

static uint64_t length_of(unsigned mail)
{
	return 200 + mail * 7919u % 5000;
}

static __attribute__((noinline)) void deliver(struct mailbox *box, uint64_t length, unsigned sender)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(SCANNING);
		box->mails++;
		box->bytes += length;
		if (length > box->longest)
			box->longest = length;
		box->last_sender = sender;
		meeting_hold();
		program_work(FILING);
	}
}

static void serve(unsigned number)
{
	meeting_join(number, BOXES, is_planted ? MAILS - 50 : 0);
	for (unsigned mail = 0; mail < MAILS; mail++) {
		meeting_next();
		deliver(boxes[number], length_of(mail), mail % 17);
	}
}

int main(int argc, char **argv)
{
	is_planted = program_has_fault(argc, argv);
	if (!place_boxes())
		return 3;
	program_run(BOXES, serve);
	uint64_t bytes = 0;
	for (unsigned mail = 0; mail < MAILS; mail++)
		bytes += length_of(mail);
	bool is_right = true;
	for (unsigned i = 0; i < BOXES; i++)
		is_right = is_right && boxes[i]->mails == MAILS && boxes[i]->bytes == bytes;
	return program_result(is_right, bytes + boxes[0]->longest);
}
