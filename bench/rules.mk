# Benchmarks: programs to profile, which know nothing of stmlog, and micro-benchmarks of stmlog itself.

$(O)/obj/bench/micro/heap.o:   INC := -Ibase -Istmlog/containers
$(O)/obj/bench/export/%.o:     INC := -Itests/support

MICRO    := $(patsubst bench/micro/%.c,$(O)/bench/micro/%,$(wildcard bench/micro/*.c))
TM_BENCHES := $(patsubst bench/programs/%.c,$(O)/bench/%,$(wildcard bench/programs/*.c))
PROGRAMS := $(if $(CLANG),no-tm,$(TM_BENCHES))
STM_PROGRAMS := $(patsubst bench/%.c,$(O)/bench/%,$(wildcard bench/smallstm/*.c))
STM_PROGRAMS += $(addsuffix -off,$(STM_PROGRAMS))

.PHONY: programs micro bench bench-micro bench-agent bench-observer bench-export no-tm
programs: $(PROGRAMS) $(STM_PROGRAMS)
micro: $(MICRO)
no-tm:
	@echo "  --    programs with transactions are left out: $(CC) has no -fgnu-tm"

# ---- running them ----
bench: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock programs
	$(Q)sh bench/suite.sh $(O)

bench-micro:
	$(Q)$(PACKAGES) tool lttng
	$(Q)$(MAKE) --no-print-directory $(MICRO)
	-$(Q)$(MAKE) --no-print-directory $(O)/bench/lttng/event
	$(Q)sh bench/micro.sh $(O)

bench-agent bench-observer: bench-%: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock $(PROGRAMS)
	$(Q)sh bench/$*.sh $(O)

bench-export: | packages-tool
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog $(addprefix $(O)/bench/export/,profile timed)
	$(Q)sh bench/export.sh $(O)

# ---- programs ----
BENCH_SUPPORT := $(wildcard bench/support/*.c)
$(O)/bench/%: bench/programs/%.c $(BENCH_SUPPORT) $(wildcard bench/support/*.h)
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(TM) -Ibench/support -o $@ $< $(BENCH_SUPPORT) -lm

# With smallstm, which has hooks; and as NAME-off with STMLOG_OFF, which needs no library.
STM_BUILD = $(CC) -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(NOT_WARN) -pthread -Iinclude -Iruntimes/smallstm -Ibench/support \
            -o $@ $< $(BENCH_SUPPORT) $(STM_SRC) $(1) -lm
$(STM_PROGRAMS): $(BENCH_SUPPORT) $(wildcard bench/support/*.h) $(STM_SRC) $(wildcard runtimes/smallstm/*.h) $(O)/libstmlog.a
$(O)/bench/smallstm/%: bench/smallstm/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(call STM_BUILD,$(O)/libstmlog.a)
$(O)/bench/smallstm/%-off: bench/smallstm/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(call STM_BUILD,-DSTMLOG_OFF)

# ---- micro-benchmarks ----
$(O)/bench/lttng/event: bench/lttng/event.c bench/lttng/bench_tracepoint.h bench/micro/bench.h $(O)/libstmlog.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -pthread -Iinclude -Ibench/lttng -Ibench/micro -o $@ $< $(O)/libstmlog.a -llttng-ust -ldl
$(O)/bench/export/%: $(O)/obj/bench/export/%.o $(O)/libsupport.a
	$(link)
$(O)/bench/micro/%: $(O)/obj/bench/micro/%.o $(O)/libparts.a
	$(link)
