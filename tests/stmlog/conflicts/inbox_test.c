/* SPDX-License-Identifier: MIT
 * Messages arrive whole, at the attempt that they are for, or are known not to have been left. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "inbox.h"
#include "stress.h"
#include "test.h"

static const struct stmlog_other anybody;
static char somebody[2];

static struct stmlog_other other(int who, uint64_t attempt)
{
	return stmlog_other_make((struct stmlog_thread *)(void *)&somebody[who], attempt);
}

static bool leave(struct inbox *inbox, uint64_t attempt, struct stmlog_other from)
{
	struct message *message = inbox_claim(inbox);
	if (message == NULL)
		return false;
	message->attempt = attempt;
	message->from = from;
	inbox_post(inbox, message);
	return true;
}

TEST(there_is_no_mail_until_a_message_is_posted)
{
	struct inbox inbox = {.mail = 0};
	assert_false(inbox_has_mail(&inbox));
	struct message *message = inbox_claim(&inbox);
	message->attempt = 7;
	assert_false(inbox_has_mail(&inbox));
	assert_null(inbox_find(&inbox, 7, anybody)); /* half-written */
	inbox_clear(&inbox);                         /* leaves it alone */
	inbox_post(&inbox, message);
	assert_true(inbox_has_mail(&inbox));
	assert_ptr_equal(inbox_find(&inbox, 7, anybody), message);
}

TEST(a_full_inbox_takes_no_message_and_a_cleared_one_does)
{
	struct inbox inbox = {.mail = 0};
	for (int i = 0; i < INBOX_MESSAGES; i++)
		assert_true(leave(&inbox, 1, anybody));
	assert_false(leave(&inbox, 1, anybody));
	inbox_clear(&inbox);
	assert_false(inbox_has_mail(&inbox));
	assert_null(inbox_find(&inbox, 1, anybody));
	assert_true(leave(&inbox, 2, anybody));
}

TEST(a_message_is_found_by_its_attempt_and_by_who_sent_it)
{
	struct inbox inbox = {.mail = 0};
	leave(&inbox, 5, other(0, 10));
	leave(&inbox, 6, other(0, 11));
	leave(&inbox, 6, other(1, 12));
	assert_null(inbox_find(&inbox, 4, anybody));
	assert_int_equal(inbox_find(&inbox, 5, anybody)->from.attempt, 10);
	assert_int_equal(inbox_find(&inbox, 6, other(1, 0))->from.attempt, 12);
	assert_int_equal(inbox_find(&inbox, 6, other(0, 11))->from.attempt, 11);
	assert_null(inbox_find(&inbox, 6, other(0, 12)));
}

TEST(a_forked_childs_inbox_forgets_senders_that_it_does_not_have)
{
	struct inbox inbox = {.mail = 0};
	for (int i = 0; i < INBOX_MESSAGES; i++)
		assert_non_null(inbox_claim(&inbox));
	inbox_reset(&inbox);
	for (int i = 0; i < INBOX_MESSAGES; i++)
		assert_non_null(inbox_claim(&inbox));
}

/* ---- threads ---- */

#define SENDERS 4
#define LETTERS_EACH 20000

static struct inbox shared;
static volatile AO_t have_sent; /* senders that are done */

/* A message all of whose parts say the same number. */
static void fill(struct message *message, uint64_t number)
{
	message->attempt = number;
	message->object = number;
	message->traceback.len = 1 + (uint32_t)number % TB_COPY_FRAMES;
	for (uint32_t i = 0; i < message->traceback.len; i++)
		message->traceback.sites[i] = tb_site_make(number, i);
}

static void *send(void *number)
{
	for (uint64_t i = 0; i < stress_times(LETTERS_EACH); i++) {
		struct message *message;
		while ((message = inbox_claim(&shared)) == NULL)
			sched_yield(); /* the runtime would do without; here the receiver empties it */
		fill(message, (uintptr_t)number * LETTERS_EACH + i);
		inbox_post(&shared, message);
	}
	AO_fetch_and_add1(&have_sent);
	return NULL;
}

static bool is_whole(const struct message *message)
{
	const struct tb_copy *copy = &message->traceback;
	bool is = message->object == message->attempt && copy->len == 1 + message->attempt % TB_COPY_FRAMES;
	for (uint32_t i = 0; i < copy->len && is; i++)
		is = copy->sites[i].code == message->attempt && copy->sites[i].position == i;
	return is;
}

/* As inbox_clear() does, but looks at each message. */
static unsigned take_all(void)
{
	unsigned taken = 0;
	for (int i = 0; i < INBOX_MESSAGES; i++) {
		if (AO_load_acquire(&shared.messages[i].state) != MESSAGE_FULL)
			continue;
		assert_true(is_whole(&shared.messages[i]));
		taken++;
	}
	return taken;
}

TEST(messages_of_many_senders_arrive_whole_and_the_last_is_not_overlooked)
{
	pthread_t senders[SENDERS];
	for (uintptr_t i = 0; i < SENDERS; i++)
		assert_int_equal(pthread_create(&senders[i], NULL, send, (void *)i), 0);
	while (AO_load_acquire(&have_sent) < SENDERS) {
		if (!inbox_has_mail(&shared))
			continue;
		take_all();
		inbox_clear(&shared);
	}
	for (int i = 0; i < SENDERS; i++)
		pthread_join(senders[i], NULL);
	if (take_all() != 0)
		assert_true(inbox_has_mail(&shared)); /* claim I3 */
	inbox_clear(&shared);
	assert_int_equal(take_all(), 0);
}
