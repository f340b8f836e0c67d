/* SPDX-License-Identifier: MIT
 * Implements the heavy side of the fence: asks the kernel for a barrier on all processors that run a thread of the
 * process. */
#include "asymmetric_fence.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

bool fence_is_symmetric = true;
static volatile AO_t is_refused;

static bool membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

static bool join(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

void fence_choose(void)
{
	static bool is_chosen;
	if (is_chosen)
		return;
	int saved = errno;
	is_chosen = true;
	fence_is_symmetric = !(join() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
	errno = saved;
}

/* A process must have registered before it asks for barriers. Kernels may forget the registration in a forked child. */
static bool barrier_everywhere(void)
{
	return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || (join() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

bool fence_heavy(void)
{
	AO_nop_full();
	if (fence_is_symmetric)
		return true;
	int saved = errno;
	if (!fence_is_refused() && !barrier_everywhere())
		AO_store(&is_refused, 1);
	errno = saved;
	return !fence_is_refused();
}

bool fence_is_refused(void)
{
	return AO_load(&is_refused) != 0;
}
