/* SPDX-License-Identifier: MIT
 * Reads counters of perf_event_open(2). */
#include <stmlog/measure.h>

#include <errno.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

static const struct {
	uint32_t type;
	uint64_t config;
} counters[STMLOG_MEASURES] = {
	[STMLOG_MEASURE_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	[STMLOG_MEASURE_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[STMLOG_MEASURE_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[STMLOG_MEASURE_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	[STMLOG_MEASURE_PAGE_FAULTS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	[STMLOG_MEASURE_CPU_NS] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};

/* Counts in user space only: most systems do not allow every user to count in the kernel. */
static int open_counter(enum stmlog_measured what)
{
	struct perf_event_attr attributes = {
		.type = counters[what].type,
		.size = sizeof attributes,
		.config = counters[what].config,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int stmlog_measure_open(struct stmlog_measure *measure, enum stmlog_measured what)
{
	int saved = errno, error = 0;
	measure->file = -1;
	if ((unsigned)what >= STMLOG_MEASURES)
		return -EINVAL;
	measure->file = open_counter(what);
	if (measure->file < 0)
		error = -errno;
	errno = saved;
	return error;
}

const char *stmlog_measure_why(int error)
{
	switch (-error) {
	case 0:
		return "they are counted";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "this machine has no such counter";
	case EACCES:
	case EPERM:
		return "not allowed here; see kernel.perf_event_paranoid";
	case ENOSYS:
		return "this kernel has no perf_event_open";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case EBUSY:
		return "somebody else has all counters";
	default:
		return "the kernel refuses";
	}
}

uint64_t stmlog_measure_now(const struct stmlog_measure *measure)
{
	int saved = errno;
	uint64_t count = 0;
	if (measure->file < 0 || read(measure->file, &count, sizeof count) != (ssize_t)sizeof count)
		count = 0;
	errno = saved;
	return count;
}

void stmlog_measure_close(struct stmlog_measure *measure)
{
	int saved = errno;
	if (measure->file >= 0)
		close(measure->file);
	measure->file = -1;
	errno = saved;
}
