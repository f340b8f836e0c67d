/* SPDX-License-Identifier: MIT
 * An LTTng tracepoint that carries what a stmlog_event carries. LTTng itself adds the time and the thread. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER stmlog_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench_tracepoint.h"

#if !defined(BENCH_TRACEPOINT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_TRACEPOINT_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(stmlog_bench, event,
	LTTNG_UST_TP_ARGS(uint64_t, argument, uint32_t, place, uint32_t, other, uint32_t, cause),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, argument, argument)
		lttng_ust_field_integer(uint32_t, place, place)
		lttng_ust_field_integer(uint32_t, other, other)
		lttng_ust_field_integer(uint32_t, cause, cause)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
