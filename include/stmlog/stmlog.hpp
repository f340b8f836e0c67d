/* SPDX-License-Identifier: MIT
 *
 * For C++17 and later: objects that begin something when they are made and end it when their scope ends, also by an
 * exception. They only call functions of the C headers: they do not allocate or throw, and nothing more has to be
 * linked.
 *
 *   stmlog::attachment thread;                      the thread is attached; pass `thread` to the hooks
 *   stmlog::entered here(thread, TB_HERE());        the line is on the thread's shadow stack
 *   stmlog::region sorting(thread, "sort");         a region of the timeline
 *   stmlog::pause waiting(thread);                  after stmlog_contention(): the attempt waits
 *   stmlog::wait waiting(thread);                   the thread waits for a free segment
 *   stmlog::other_work backing_off(thread);         the runtime's own work
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

/* Attaches the calling thread, and detaches it if it was not attached before. Requires that the same thread destroys
 * it. */
class attachment : scope
{
      public:
	attachment() noexcept : is_first(stmlog_thread_self() == nullptr), thread(stmlog_thread_attach())
	{
	}
	~attachment()
	{
		if (is_first)
			stmlog_thread_detach();
	}
	operator struct stmlog_thread *() const noexcept
	{
		return thread;
	}

      private:
	bool is_first;
	struct stmlog_thread *thread;
};

/* Owns a lane (stmlog_lane_open()). A lane that was moved from, or made without a name, is NULL. */
class lane
{
      public:
	lane() noexcept : handle(nullptr)
	{
	}
	explicit lane(const char *name) noexcept : handle(stmlog_lane_open(name))
	{
		(void)name;
	}
	lane(lane &&from) noexcept : handle(from.handle)
	{
		from.handle = nullptr;
	}
	lane &operator=(lane &&from) noexcept
	{
		struct stmlog_thread *taken = from.handle;
		from.handle = nullptr;
		stmlog_lane_close(&handle);
		handle = taken;
		return *this;
	}
	~lane()
	{
		stmlog_lane_close(&handle);
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
		stmlog_lane_claim(handle);
	}
	~claim()
	{
		stmlog_lane_release(handle);
	}

      private:
	struct stmlog_thread *handle;
};

/* While it lives, the site is on the shadow stack: a function, or a line in it. */
class entered : scope
{
      public:
	entered(struct tb_stack *of, struct tb_site site) noexcept : stack(of)
	{
		stmlog_push(stack, site);
	}
	entered(struct stmlog_thread *thread, struct tb_site site) noexcept : entered(stmlog_thread_stack(thread), site)
	{
		(void)thread;
	}
	~entered()
	{
		stmlog_pop(stack);
	}
	/* The function goes on to another line. */
	void update(struct tb_site site) noexcept
	{
		stmlog_update(stack, site);
	}

      private:
	struct tb_stack *stack;
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

/* While it lives, the attempt waits: because of the conflict reported last, or of a loss that the runtime describes
 * itself. */
class pause : scope
{
      public:
	explicit pause(struct stmlog_thread *of) noexcept : thread(of)
	{
		stmlog_pause_self(thread);
	}
	pause(struct stmlog_thread *of, const struct stmlog_loss &loss) noexcept : thread(of)
	{
		stmlog_pause_begin(thread, &loss);
	}
	~pause()
	{
		stmlog_pause_end(thread);
	}

      private:
	struct stmlog_thread *thread;
};

/* While it lives, the thread waits: for a free segment, for an inevitable transaction, or as a loss of the runtime's
 * says. */
class wait : scope
{
      public:
	explicit wait(struct stmlog_thread *of) noexcept : thread(of)
	{
		stmlog_wait_segment(thread);
	}
	wait(struct stmlog_thread *of, struct stmlog_other inevitable, const char *word = nullptr) noexcept : thread(of)
	{
		stmlog_wait_inevitable(thread, inevitable, word);
	}
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

/* The runtime's own work, such as a back-off. */
class other_work : scope
{
      public:
	explicit other_work(struct stmlog_thread *of) noexcept : thread(of)
	{
		stmlog_other_begin(thread);
	}
	~other_work()
	{
		stmlog_other_end(thread);
	}

      private:
	struct stmlog_thread *thread;
};

/* After an abort: while it lives, the transaction waits for a change of what it has read. */
class blocked : scope
{
      public:
	explicit blocked(struct stmlog_thread *of) noexcept : thread(of)
	{
		stmlog_blocked_begin(thread);
	}
	~blocked()
	{
		stmlog_blocked_end(thread);
	}

      private:
	struct stmlog_thread *thread;
};

} // namespace stmlog

#endif
