# Benchmarks: programs to profile, which know nothing of stmlog, and micro-benchmarks of stmlog itself.

$(O)/obj/bench/micro/heap.o:   INC := -Ibase -Istmlog/containers
$(O)/obj/bench/micro/memory.o: INC := -Ibase
$(O)/obj/bench/export/%.o:     INC := -Itests/support

MICRO    := $(patsubst bench/micro/%.c,$(O)/bench/micro/%,$(wildcard bench/micro/*.c))
TM_BENCHES := $(patsubst bench/programs/%.c,$(O)/bench/%,$(wildcard bench/programs/*.c))
TRUTH    := $(patsubst bench/truth/%.c,%,$(wildcard bench/truth/*.c))
STAMPED  := $(patsubst %,$(O)/bench/stamped/%,$(notdir $(TM_BENCHES)) $(TRUTH))
PROGRAMS := $(if $(CLANG),no-tm,$(TM_BENCHES) $(addprefix $(O)/bench/truth/,$(TRUTH)) $(STAMPED))
STM_PROGRAMS := $(patsubst bench/%.c,$(O)/bench/%,$(wildcard bench/smallstm/*.c))
STM_PROGRAMS += $(addsuffix -off,$(STM_PROGRAMS))

.PHONY: programs micro bench bench-micro bench-agent bench-observer bench-truth bench-export no-tm
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

bench-truth: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(PROGRAMS)
	$(Q)sh bench/truth.sh $(O)

bench-export: | packages-tool
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog $(addprefix $(O)/bench/export/,profile timed)
	$(Q)sh bench/export.sh $(O)

# ---- programs ----
BENCH_SUPPORT := $(wildcard bench/support/*.c)
STAMPS        := $(wildcard bench/support/stamped/*.c)
TM_BUILD       = $(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-clobbered $(TM) -Ibench/support -o $@ $< $(BENCH_SUPPORT) $(1) -lm
$(TM_BENCHES) $(addprefix $(O)/bench/truth/,$(TRUTH)) $(STAMPED): $(BENCH_SUPPORT) $(wildcard bench/support/*.h)
$(O)/bench/%: bench/programs/%.c
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(call TM_BUILD)
$(O)/bench/truth/%: bench/truth/%.c
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(call TM_BUILD)

# The same programs, with time stamps of their own (bench/support/stamps.h).
$(STAMPED): $(STAMPS)
$(O)/bench/stamped/%: bench/programs/%.c
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(call TM_BUILD,-DSTAMPS $(STAMPS))
$(O)/bench/stamped/%: bench/truth/%.c
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(call TM_BUILD,-DSTAMPS $(STAMPS))

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
