# Benchmarks: programs to profile, which know nothing of stmlog, and micro-benchmarks of stmlog itself.

$(O)/obj/bench/micro/heap.o:   INC := -Ibase -Istmlog/containers
$(O)/obj/bench/micro/memory.o: INC := -Ibase
$(O)/obj/bench/export/%.o:     INC := -Itests/support
$(O)/obj/bench/scale/%.o:      INC := -Ibench/micro
$(O)/obj/bench/micro/lazystm.o: INC := -Ibench/examples
$(O)/obj/bench/micro/vendored.o: INC := -Ibench/vendored -Ibench/micro
$(O)/obj/bench/vendored/%.o:   INC := -Ibench/vendored -Ibench/micro -I$(O)
$(O)/obj/bench/vendored/hooks.o: $(O)/stmlog-vendor.h
# libunwind is a peer, if it is there.
UNWIND    = $(shell printf '\043include <libunwind.h>\nint main(void) { return 0; }\n' | \
              $(CC) -x c -o /dev/null - -lunwind 2>/dev/null && echo yes)
$(O)/obj/bench/micro/peers.o:  INC = -fno-omit-frame-pointer $(if $(UNWIND),-DHAVE_LIBUNWIND)

MICRO    := $(patsubst bench/micro/%.c,$(O)/bench/micro/%,$(wildcard bench/micro/*.c))
TM_BENCHES := $(patsubst bench/programs/%.c,$(O)/bench/%,$(wildcard bench/programs/*.c))
TRUTH    := $(patsubst bench/truth/%.c,%,$(wildcard bench/truth/*.c))
STAMPED  := $(patsubst %,$(O)/bench/stamped/%,$(notdir $(TM_BENCHES)) $(TRUTH))
PROGRAMS := $(if $(CLANG),no-tm,$(TM_BENCHES) $(addprefix $(O)/bench/truth/,$(TRUTH)) $(STAMPED) $(O)/bench/tiny/tiny)
SCALE    := $(patsubst bench/scale/%.c,$(O)/bench/scale/%,$(wildcard bench/scale/*.c))
STM_PROGRAMS := $(foreach stm,smallstm lazystm,$(addprefix $(O)/bench/$(stm)/,bank bank-off))

.PHONY: programs micro bench bench-micro bench-agent bench-ghc bench-tiny bench-share bench-observer bench-crowd bench-speed bench-truth bench-export bench-scale bench-page scale no-tm
programs: $(PROGRAMS) $(STM_PROGRAMS)
micro: $(MICRO)
scale: $(O)/stmlog $(O)/bench/export/timed $(O)/bench/micro/peers $(SCALE) $(addprefix $(O)/bench/uftrace/,bare traced pushed)
no-tm:
	@echo "  --    programs with transactions are left out: $(CC) has no -fgnu-tm"

# ---- running them ----
# Counts the aborts of a program that runs without the agent (bench/support/rounds.inc).
COUNTERS := $(O)/tests/helpers/libcounters.so
bench: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock $(COUNTERS) programs
	$(Q)sh bench/suite.sh $(O)

bench-micro:
	$(Q)$(PACKAGES) tool lttng
	$(Q)$(MAKE) --no-print-directory $(MICRO)
	-$(Q)$(MAKE) --no-print-directory $(O)/bench/lttng/event
	$(Q)sh bench/micro.sh $(O)

bench-agent bench-tiny bench-share bench-observer bench-crowd bench-speed: bench-%: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock $(COUNTERS) $(PROGRAMS)
	$(Q)sh bench/$*.sh $(O)

bench-truth: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(COUNTERS) $(PROGRAMS)
	-$(Q)$(MAKE) --no-print-directory $(O)/bench/stamped/audit
	$(Q)sh bench/truth.sh $(O)

# What the module for GHC costs; needs ghc and its package stm.
bench-ghc: | packages-tool
	$(Q)$(MAKE) --no-print-directory all
	$(Q)sh bench/ghc.sh $(O) $(ROUNDS)

bench-export: | packages-tool
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog $(addprefix $(O)/bench/export/,profile timed)
	$(Q)sh bench/export.sh $(O)

bench-scale:
	$(Q)$(PACKAGES) tool lttng peer
	$(Q)$(MAKE) --no-print-directory scale
	-$(Q)$(MAKE) --no-print-directory $(O)/bench/lttng/event
	$(Q)sh bench/scale.sh $(SCALE_OPTIONS) $(O)

# Needs npm and Chromium.
bench-page:
	$(Q)$(PACKAGES) tool page reader
	$(Q)$(MAKE) --no-print-directory page-libraries page-tests
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog $(O)/bench/scale/recording
	$(Q)sh bench/page.sh $(O)

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

$(O)/bench/tiny/tiny: bench/tiny/tiny.c
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(TM) -o $@ $<

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
# In Haskell; needs ghc and its package stm.
$(O)/bench/stamped/%: bench/truth/%.hs
	@mkdir -p $(@D) $(O)/obj/$<
	$(call say,GHC)
	$(Q)ghc -v0 -O -g -threaded "-with-rtsopts=-N2 -A64m" -outputdir $(O)/obj/$< -o $@ $<

# On smallstm and lazystm, which have hooks; and as NAME-off with STMLOG_OFF, which needs no library.
# $(call stm_build,FOLDER,SOURCES,FURTHER): compiles the program with the sources of an STM, without their assertions.
stm_build = $(CC) -O2 -g -DNDEBUG -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(NOT_WARN) -pthread -Iinclude -Iexamples/support \
            -Iexamples/$(1) -Ibench/support -o $@ $< $(BENCH_SUPPORT) $(2) $(3) -lm
$(STM_PROGRAMS): $(BENCH_SUPPORT) $(wildcard bench/support/*.h) $(O)/libstmlog.a

define stm_rules
$(filter $(O)/bench/$(1)/%,$(STM_PROGRAMS)): $(2) $(wildcard examples/$(1)/*.h examples/support/*.h)
$(O)/bench/$(1)/%: bench/examples/%.c
	@mkdir -p $$(@D)
	$$(call say,CC)
	$(Q)$$(call stm_build,$(1),$(2),$(O)/libstmlog.a)
$(O)/bench/$(1)/%-off: bench/examples/%.c
	@mkdir -p $$(@D)
	$$(call say,CC)
	$(Q)$$(call stm_build,$(1),$(2),-DSTMLOG_OFF)
endef
$(eval $(call stm_rules,smallstm,$(STM_SRC)))
$(eval $(call stm_rules,lazystm,$(LAZY_SRC)))

# ---- micro-benchmarks ----
$(O)/bench/lttng/event: bench/lttng/event.c bench/lttng/bench_tracepoint.h bench/micro/bench.h $(O)/libstmlog.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -pthread -Iinclude -Ibench/lttng -Ibench/micro -o $@ $< $(O)/libstmlog.a -llttng-ust -ldl
$(O)/bench/uftrace/%: bench/uftrace/calls.c $(O)/libstmlog.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -pthread -Iinclude $(CALLS_$*) -o $@ $< $(O)/libstmlog.a
CALLS_traced := -pg
CALLS_pushed := -DPUSHES
$(O)/bench/export/%: $(O)/obj/bench/export/%.o $(O)/libsupport.a
	$(link)
$(O)/bench/scale/%: $(O)/obj/bench/scale/%.o $(O)/libstmlog.a
	$(link)

# Copies of lazystm that differ in their hooks. Of each only the name of bench/examples/copies.h is visible.
LAZY_COPIES := off idle recorded
$(O)/bench/lazy_copies/off.o: HOOKS := -DSTMLOG_OFF
$(O)/bench/lazy_copies/%.o: bench/examples/work.c bench/examples/copies.h bench/micro/bench.h $(LAZY_SRC) $(wildcard examples/lazystm/*.h examples/support/*.h)
	@mkdir -p $(@D)/$*
	$(call say,CC)
	$(Q)cd $(@D)/$* && $(CC) $(CFLAGS) $(filter-out -MMD -MP,$(ALL)) -DNDEBUG $(HOOKS) -DCOPY=$* \
		$(patsubst %,-I$(CURDIR)/%,include examples/support examples/lazystm bench/examples bench/micro) \
		-c $(addprefix $(CURDIR)/,$< $(LAZY_SRC))
	$(Q)$(CC) -r -nostdlib -o $@ $(patsubst %.c,$(@D)/$*/%.o,$(notdir $< $(LAZY_SRC)))
	$(Q)$(OBJCOPY) --keep-global-symbol=$* $@
$(O)/bench/micro/lazystm: $(LAZY_COPIES:%=$(O)/bench/lazy_copies/%.o)
# Behind the copies, which the implicit rule puts last.
$(O)/bench/micro/lazystm: private LIBS = $(O)/libparts.a

# With -rdynamic the table finds the library in the program.
$(O)/bench/micro/vendored: $(O)/obj/bench/vendored/hooks.o
$(O)/bench/micro/vendored: private FORM = -rdynamic
$(O)/bench/micro/peers: private LIBS = $(if $(UNWIND),-lunwind) -ldl
$(O)/bench/micro/%: $(O)/obj/bench/micro/%.o $(O)/libparts.a
	$(link)
