/* SPDX-License-Identifier: MIT
 * Transactions of a runtime that is inlined, as one in headers alone: in a lambda, in a lambda within that, and in a class
 * that is local to a function. Each aborts once. */
#include <stmlog/runtime.h>

#define INLINED inline __attribute__((always_inline))
#define HERE __attribute__((noinline))

static struct stmlog_thread *thread;
static volatile unsigned work;

INLINED void begin()
{
	stmlog_start(thread);
	work = work + 1;
}

INLINED void fail(const char *word)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, word);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	work = work + 1;
}

INLINED void end()
{
	stmlog_commit(thread);
	work = work + 1;
}

INLINED void transact(const char *word)
{
	begin();
	fail(word); /* here */
	end();
}

/* Any function may be called, so the compiler makes one of each lambda. */
static HERE void call(void (*function)())
{
	__asm__ volatile("" : "+r"(function));
	function();
	work = work + 1;
}

static HERE void with_lambdas(unsigned depth)
{
	if (depth > 0) {
		unsigned __attribute__((unused)) of_the_block = depth;
		call([] {
			transact("LAMBDA");
			call([] { transact("INNER"); });
		});
	}
}

static HERE void with_class()
{
	class local_class
	{
	      public:
		static HERE void run()
		{
			transact("CLASS");
		}
	};
	call(local_class::run);
}

static HERE void with_none()
{
	transact("NONE");
}

int main()
{
	if (stmlog_open(nullptr) != 0)
		return 1;
	thread = stmlog_thread_open(nullptr);
	with_lambdas(1);
	with_class();
	with_none();
	return 0;
}
