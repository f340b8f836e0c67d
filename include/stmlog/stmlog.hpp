/* SPDX-License-Identifier: MIT
 *
 * For C++11 and later: objects that begin something when they are made and end it when their scope ends, also by an
 * exception. They only call functions of the C headers: they do not allocate or throw, and nothing more has to be
 * linked.
 *
 *   stmlog::attachment thread;                      the thread's own handle; pass `thread` to the hooks
 *   stmlog::entered here(thread, TB_HERE());        the line is on the thread's shadow stack
 *   stmlog::region sorting(thread, "sort");         a region of the timeline
 *   stmlog::wait waiting(thread, loss);             the thread waits, as the loss says: a pause, say
 *   stmlog::other_work work(thread, "back-off");    the runtime's own work
 *   stmlog::blocked waiting(thread);                after an abort: the transaction waits for a change
 *   stmlog::lane lane("fiber");                     a handle that belongs to no OS thread ...
 *   stmlog::claim now(lane);                        ... and that this OS thread uses
 *
 * While no profiler is open all of them do nothing, and with STMLOG_OFF no code is generated for them. Objects with a
 * scope can be neither copied nor moved, because they must end in the reverse order of their beginnings. A lane can be
 * moved. All belong to one thread, as the handle that is passed to them does, and must end no later than that handle.
 *
 * It goes with stmlog-vendor.h as well, if that was included before.
 */
#ifndef STMLOG_STMLOG_HPP
#define STMLOG_STMLOG_HPP

#ifndef STMLOG_VENDOR_H
#include <stmlog/agent.h>
#include <stmlog/timeline.h>
#endif

namespace stmlog
{

class scope
{
      public:
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

      protected:
	scope() = default;
	~scope() = default;
};

/* The calling thread's own handle. Closes it, unless it was open before. Requires that the same thread destroys it. */
class attachment : scope
{
      public:
	attachment() noexcept : is_first(stmlog_thread_self() == nullptr), thread(stmlog_thread_open(nullptr))
	{
	}
	~attachment()
	{
		if (is_first)
			stmlog_thread_close(&thread);
	}
	operator struct stmlog_thread *() const noexcept
	{
		return thread;
	}

      private:
	bool is_first;
	struct stmlog_thread *thread;
};

/* Owns a lane (stmlog_thread_open()). A lane that was moved from, or has no name, is NULL. */
class lane
{
      public:
	lane() noexcept : handle(nullptr)
	{
	}
	explicit lane(const char *name) noexcept : handle(name != nullptr ? stmlog_thread_open(name) : nullptr)
	{
	}
	lane(lane &&from) noexcept : handle(from.handle)
	{
		from.handle = nullptr;
	}
	lane &operator=(lane &&from) noexcept
	{
		struct stmlog_thread *taken = from.handle;
		from.handle = nullptr;
		stmlog_thread_close(&handle);
		handle = taken;
		return *this;
	}
	~lane()
	{
		stmlog_thread_close(&handle);
	}
	operator struct stmlog_thread *() const noexcept
	{
		return handle;
	}

      private:
	struct stmlog_thread *handle;
};

/* While it lives, the calling OS thread uses the lane. */
class claim : scope
{
      public:
	explicit claim(struct stmlog_thread *lane) noexcept : handle(lane)
	{
		stmlog_claim(handle);
	}
	~claim()
	{
		stmlog_release(handle);
	}

      private:
	struct stmlog_thread *handle;
};

/* While it lives, the site is on the shadow stack: a function, or a line in it. */
class entered : scope
{
      public:
	entered(struct stmlog_thread *of, struct tb_site site) noexcept : thread(of)
	{
		stmlog_push(thread, site);
	}
	~entered()
	{
		stmlog_pop(thread);
	}
	/* The function goes on to another line. */
	void update(struct tb_site site) noexcept
	{
		stmlog_update(thread, site);
	}

      private:
	struct stmlog_thread *thread;
};

/* A region of the timeline. Its work is the sum of the constructor's argument and of all calls of add(). */
class region : scope
{
      public:
	region(struct stmlog_thread *of, const char *tag, uint64_t work = 0) noexcept : thread(of), added(0)
	{
		stmlog_region_begin(thread, tag, work);
	}
	~region()
	{
		stmlog_region_end(thread, added);
	}
	void add(uint64_t work) noexcept
	{
		added += work;
	}

      private:
	struct stmlog_thread *thread;
	uint64_t added;
};

/* While it lives, the thread waits, as stmlog_wait_begin() says of the loss's reason. */
class wait : scope
{
      public:
	wait(struct stmlog_thread *of, const struct stmlog_loss &loss) noexcept : thread(of)
	{
		stmlog_wait_begin(thread, &loss);
	}
	~wait()
	{
		stmlog_wait_end(thread);
	}

      private:
	struct stmlog_thread *thread;
};

/* The runtime's own work, such as a back-off, by the runtime's own word for it. */
class other_work : wait
{
      public:
	explicit other_work(struct stmlog_thread *of, const char *word = nullptr) noexcept
	    : wait(of, stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, word))
	{
	}
};

/* After an abort: while it lives, the transaction waits for a change of what it has read. */
class blocked : wait
{
      public:
	explicit blocked(struct stmlog_thread *of) noexcept
	    : wait(of, stmlog_loss_of(STMLOG_BLOCKED, STMLOG_NONE, nullptr))
	{
	}
};

} // namespace stmlog

#endif
