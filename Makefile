# stmlog: `make` builds, `make demo` shows, `make test` checks. One file, no configure step.
#
# SAN=address,undefined   builds into build/san instead, with those sanitizers; SAN=thread into build/tsan
# RACE=1                  builds into build/race tests for helgrind and DRD (tests/race/atomic_ops.h)
# V=1                     shows the commands
# The include path of each component is the dependency rule: base <- traceback <- stmlog <-
# {runtimes, tools}; what is not on the path does not compile.

O        := $(if $(SAN),$(if $(filter thread,$(SAN)),build/tsan,build/san),$(if $(RACE),build/race,build))
Q        := $(if $(V),,@)

CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla
RACE_OPS := $(if $(RACE),-Itests/race -include tests/race/atomic_ops.h)
# What a newer library advises against is no error: the older one has nothing else.
ALL      := -std=c11 -D_GNU_SOURCE $(WARN) $(if $(WERROR),-Werror -Wno-error=deprecated-declarations) \
            -fPIC -fvisibility=hidden -pthread -MMD -MP \
            $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all -Wno-tsan) \
            $(RACE_OPS)
LINK      = $(CC) $(CFLAGS) $(if $(SAN),-fsanitize=$(SAN)) -pthread $(LDFLAGS)
TM       := -O2 -g -fgnu-tm -pthread

# Memory from mmap where we live in another's process; from malloc where sanitizers and detectors shall see it.
BASE_SRC := $(filter-out base/mem_$(if $(SAN)$(RACE),mmap,malloc).c,$(wildcard base/*.c))
LIB_SRC  := $(BASE_SRC) $(wildcard traceback/*.c stmlog/*/*.c)
STM_SRC  := $(filter-out %/scenes.c %/every_cause.c,$(wildcard runtimes/smallstm/*.c))
# What a runtime needs that looks at a process from within: how a stack is recognised, and what a module is.
NATIVE_SRC := $(wildcard runtimes/native/*.c)
ITM_SRC  := $(wildcard runtimes/libitm/*.c runtimes/libitm/*.S) $(NATIVE_SRC)
TINY_SRC := $(wildcard runtimes/tinystm/*.c) $(NATIVE_SRC)
PASSIVE_SRC := $(wildcard runtimes/libitm/passive/*.c) $(addprefix runtimes/libitm/,counters.c method.c options.c leave.c real.c exits.S) runtimes/native/modules.c
CALIBRATE_SRC := $(wildcard runtimes/libitm/calibrate/*.c runtimes/libitm/calibrate/*.S) runtimes/native/modules.c
TOOL_SRC := $(wildcard tools/*.c tools/*/*.c)
MESSAGES := $(patsubst tools/%.proto,$(O)/obj/tools/%.pb-c,$(wildcard tools/export/*.proto))
obj       = $(patsubst %,$(O)/obj/%.o,$(basename $(1)))

TESTS    := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/*/*_test.c tests/*/*/*_test.c))
MICRO    := $(patsubst bench/micro/%.c,$(O)/bench/micro/%,$(wildcard bench/micro/*.c))
PROGRAMS := $(patsubst bench/programs/%.c,$(O)/bench/%,$(wildcard bench/programs/*.c))
STM_PROGRAMS := $(patsubst bench/%.c,$(O)/bench/%,$(wildcard bench/smallstm/*.c))
STM_PROGRAMS += $(addsuffix -off,$(STM_PROGRAMS))
LINKED   := $(O)/libstmlog-itm.a
AGENTS   := $(addprefix $(O)/libstmlog-itm,.so -light.so -full.so -passive.so) $(O)/libstmlog-objects.so
OBJECTS_SRC := $(wildcard runtimes/libitm/objects/*.c)

TOOL_LIBS := -ldw -lelf -lsmartcols -ljansson -lprotobuf-c -lz -lm

.PHONY: all demo test check test-regression test-distributions install clean format
.PHONY: bench bench-micro bench-agent bench-observer bench-export
all: $(O)/stmlog $(O)/stmlog-calibrate $(AGENTS) $(LINKED) $(O)/stmlog-itm.wrap $(O)/libstmlog.a $(O)/libstmlog.so $(O)/every-cause

# With libitm's software transactions on each machine: those can tell who was in whose way.
demo: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/bank
	$(Q)ITM_DEFAULT_METHOD=ml_wt $(O)/stmlog record -o $(O)/demo.data -- $(O)/bench/bank --threads=2 --seconds=2

test: | packages-test
	$(Q)$(MAKE) --no-print-directory check

check:
	$(Q)sh tests/run.sh

# On demand: some ten minutes.
test-regression: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)sh tests/long/regression.sh

# On demand: both commands of the README on bare systems, some half an hour for each.
test-distributions:
	$(Q)sh tests/long/distributions.sh

bench: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock programs
	$(Q)sh bench/suite.sh $(O)

bench-micro:
	$(Q)$(PACKAGES) tool lttng
	$(Q)$(MAKE) --no-print-directory $(MICRO)
	-$(Q)$(MAKE) --no-print-directory $(O)/bench/lttng/event
	$(Q)sh bench/micro.sh $(O)

bench-agent: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock $(PROGRAMS)
	$(Q)sh bench/agent.sh $(O)

bench-observer: | packages-tool
	$(Q)$(MAKE) --no-print-directory all $(O)/bench/micro/clock $(PROGRAMS)
	$(Q)sh bench/observer.sh $(O)

bench-export: | packages-tool
	$(Q)$(MAKE) --no-print-directory $(O)/stmlog $(addprefix $(O)/bench/export/,profile timed)
	$(Q)sh bench/export.sh $(O)

PACKAGES  = CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' sh .ci/packages
packages-tool: ; $(Q)$(PACKAGES) tool
packages-test: ; $(Q)$(PACKAGES) tool test reader
.PHONY: packages-tool packages-test

tests: $(TESTS)
programs: $(PROGRAMS) $(STM_PROGRAMS)
micro: $(MICRO)
.PHONY: tests programs micro

# ---- objects: each component sees the public headers, base and itself ----
# $(call rooms,FOLDER,INCLUDES,ROOMS): each room of a folder sees itself and the rooms before it. A wrong #include does
# not compile.
rooms = $(eval SEEN := $(2))$(foreach room,$(3),$(eval SEEN += -I$(1)/$(room))$(eval $(O)/obj/$(1)/$(room)/%.o: INC := $(SEEN)))
STMLOG_ROOMS := containers session conflicts timelogs accounts timeline profile threads hooks output life
EVERY_ROOM := $(patsubst %,-Istmlog/%,$(STMLOG_ROOMS))
$(O)/obj/base/%.o:             INC := -Ibase
$(O)/obj/traceback/%.o:        INC := -Ibase -Itraceback
$(O)/obj/stmlog/%.o:           INC := -Ibase $(EVERY_ROOM)
$(O)/obj/runtimes/native/%.o:  INC := -Iruntimes/native
$(O)/obj/runtimes/libitm/%.o:  INC := -Iruntimes/libitm -Iruntimes/native
$(O)/obj/runtimes/smallstm/%.o: INC := -Iruntimes/smallstm
$(O)/obj/runtimes/tinystm/%.o: INC := -Iruntimes/tinystm -Iruntimes/native -Itests/tinystm
# Of the command, each part sees those before it: common, recording, analysis, libitm (record alone), then report, export, record, diff, merge.
FOUND     := -Itools/common -Itools/recording -Itools/analysis
EVERY_TOOL := $(patsubst %/,-I%,$(wildcard tools/*/)) -I$(O)/obj/tools/export
$(O)/obj/tools/%.o:            INC := $(EVERY_TOOL)
$(O)/obj/tools/common/%.o:     INC := -Itools/common
$(O)/obj/tools/libitm/%.o:     INC := -Itools/common -Itools/libitm
$(O)/obj/tools/recording/%.o:  INC := -Itools/common -Itools/recording
$(O)/obj/tools/analysis/%.o:   INC := $(FOUND)
$(O)/obj/tools/report/%.o:     INC := $(FOUND) -Itools/report
$(O)/obj/tools/export/%.o:     INC := $(FOUND) -Itools/report -Itools/export -I$(O)/obj/tools/export
$(O)/obj/tools/record/%.o:     INC := $(FOUND) -Itools/libitm -Itools/record
$(O)/obj/tools/diff/%.o:       INC := $(FOUND) -Itools/diff
$(O)/obj/tools/merge/%.o:      INC := $(FOUND) -Itools/merge
$(O)/obj/tests/base/%.o:       INC := -Ibase -Itests/support
$(O)/obj/tests/traceback/%.o:  INC := -Ibase -Itraceback -Itests/support
$(O)/obj/tests/stmlog/%.o:     INC := -Ibase $(EVERY_ROOM) -Itests/support
$(O)/obj/tests/native/%.o:     INC := -Iruntimes/native -Itests/support
$(O)/obj/tests/libitm/%.o:     INC := -Iruntimes/libitm -Iruntimes/libitm/passive -Iruntimes/libitm/objects -Iruntimes/libitm/calibrate \
                                    -Iruntimes/native -Itests/support
$(O)/obj/tests/smallstm/%.o:   INC := -Iruntimes/smallstm -Itests/smallstm -Itests/support
$(O)/obj/tests/tinystm/%.o:    INC := -Ibase -Iruntimes/tinystm -Iruntimes/native -Itests/tinystm -Itests/support
$(O)/obj/tests/tools/%.o:      INC := $(EVERY_TOOL) -Itests/tools $(patsubst %/,-I%,$(wildcard tests/tools/*/)) -Itests/support
$(O)/obj/tests/support/%.o:    INC := -Ibase -Itests/support
$(O)/obj/bench/micro/heap.o:   INC := -Istmlog/containers
$(O)/obj/bench/export/%.o:     INC := -Itests/support

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(CFLAGS) $(ALL) -Iinclude $(INC) -c -o $@ $<

$(O)/obj/%.o: %.S
	@mkdir -p $(@D)
	$(if $(Q),@echo "  AS    $<")
	$(Q)$(CC) $(CFLAGS) $(filter-out $(RACE_OPS),$(ALL)) -Iinclude $(INC) -c -o $@ $<

# ---- what is built from them ----
$(O)/libparts.a: $(call obj,$(LIB_SRC))
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^

# What others link has no more names than the shared library: one that is called options_parse(), say, is theirs.
$(O)/libstmlog.a: $(call obj,$(LIB_SRC))
	$(if $(Q),@echo "  AR    $@")
	$(Q)$(CC) -r -nostdlib -o $(O)/obj/libstmlog.o $^
	$(Q)objcopy --localize-hidden $(O)/obj/libstmlog.o
	$(Q)rm -f $@ && ar rcs $@ $(O)/obj/libstmlog.o

# The number of the soname changes when a program built before would not run any more.
SONAME   := libstmlog.so.0
$(O)/libstmlog.so: $(call obj,$(LIB_SRC)) stmlog/stmlog.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(LINK) -shared -Wl,-z,defs -Wl,-soname,$(SONAME) -Wl,--version-script=stmlog/stmlog.map -o $@ $(filter %.o,$^)

# Bound at load: a hook is no time to look up a symbol.
AGENT_LINK = $(LINK) -shared -static-libgcc -Wl,-z,defs -Wl,-z,now -Wl,--version-script=$(filter %.map,$^) -o $@

$(O)/libstmlog-itm.so: $(call obj,$(filter-out %/functions.c,$(ITM_SRC))) $(O)/libparts.a runtimes/libitm/agent.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(AGENT_LINK) $(filter %.o %.a,$^)

# Light: no data barrier is interposed at all.
$(O)/libstmlog-itm-light.so: $(call obj,$(filter-out %/barriers.S %/functions.c,$(ITM_SRC))) $(O)/libparts.a runtimes/libitm/agent.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(AGENT_LINK) $(filter %.o %.a,$^)

# Full: with what functions built with -finstrument-functions call.
$(O)/libstmlog-itm-full.so: $(call obj,$(ITM_SRC)) $(O)/libparts.a runtimes/libitm/agent.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(AGENT_LINK) $(filter %.o %.a,$^)

# Passive: no entry of libitm is interposed at all.
$(O)/libstmlog-itm-passive.so: $(call obj,$(PASSIVE_SRC)) $(O)/libparts.a runtimes/libitm/passive/passive.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(AGENT_LINK) $(filter %.o %.a,$^)

# Linked into a program instead of preloaded: the same objects in one, of which nothing is to be seen but what the
# preloaded agent exports, under the names that ld --wrap calls for. FILE.wrap is all that is added to a command that
# links a program: it says which names, and where the archive is. And that unwinders shall find their tables by the
# program's header, too: where -static leaves that out they are registered, but only until the program's destructors.
LINKED_OBJ := $(call obj,$(filter-out %/real.c %/functions.c,$(ITM_SRC)) $(LIB_SRC))

$(O)/obj/linked/exports: $(O)/libstmlog-itm.so
	@mkdir -p $(@D)
	$(Q)nm -D --defined-only --format=posix $< | cut -d ' ' -f 1 >$@
$(O)/obj/linked/entries.inc: $(O)/obj/linked/exports
	$(Q)sed 's/.*/ENTRY(&)/' $< >$@
$(O)/obj/linked/names: $(O)/obj/linked/exports
	$(Q)sed 's/.*/& __wrap_&/' $< >$@
$(O)/obj/runtimes/libitm/linked/%.o: INC := -Iruntimes/libitm -Iruntimes/native -I$(O)/obj/linked
$(O)/obj/runtimes/libitm/linked/real.o: $(O)/obj/linked/entries.inc
$(O)/obj/linked/agent.o: $(LINKED_OBJ) $(O)/obj/runtimes/libitm/linked/real.o $(O)/obj/linked/names
	$(Q)$(CC) -r -nostdlib -o $@ $(filter %.o,$^)
	$(Q)objcopy --redefine-syms=$(O)/obj/linked/names --wildcard --keep-global-symbol='__wrap_*' $@
$(LINKED): $(O)/obj/linked/agent.o
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/stmlog-itm.wrap: $(O)/obj/linked/exports
	$(Q)sed 's/^/-Wl,--wrap=/' $< >$@
	$(Q)echo '-Wl,--eh-frame-hdr -Wl,-u,__wrap__ITM_beginTransaction' >>$@
	$(Q)echo '$(abspath $(LINKED))' >>$@

# What remembers allocations: beside the first agent, where it is asked for.
$(O)/libstmlog-objects.so: $(call obj,$(OBJECTS_SRC)) runtimes/libitm/objects/objects.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(AGENT_LINK) $(filter %.o,$^)

# A process in which nothing else goes on: tries out a libitm, to find what the agents read of it.
$(O)/stmlog-calibrate: $(call obj,$(CALIBRATE_SRC))
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(LINK) -o $@ $^

$(O)/libnative.a: $(call obj,$(NATIVE_SRC))
	$(Q)rm -f $@ && ar rcs $@ $^

# An archive must not offer malloc: whoever links it would get that one.
$(O)/libitm-parts.a: $(call obj,$(filter %.c %/hardware_begin.S,$(ITM_SRC)) runtimes/libitm/passive/watch.c \
                       runtimes/libitm/calibrate/search.c \
                       $(filter-out %/allocation.c,$(OBJECTS_SRC)))
	$(Q)rm -f $@ && ar rcs $@ $^

# The example of a runtime that embeds the library, and what it can be brought to do.
$(O)/libsmallstm.a: $(call obj,$(STM_SRC))
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/libscenes.a: $(O)/obj/runtimes/smallstm/scenes.o
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/every-cause: $(O)/obj/runtimes/smallstm/every_cause.o $(O)/libscenes.a $(O)/libsmallstm.a $(O)/libstmlog.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(LINK) -o $@ $^

# The module for TinySTM, of which we have no code: against the stm.h of a source tree that is named, or, for the
# tests, that of a stand-in.
.PHONY: tinystm
tinystm:
	$(Q)test -f "$(TINYSTM)/include/stm.h" || \
		{ echo "tinystm: no include/stm.h in TINYSTM='$(TINYSTM)': make tinystm TINYSTM=/path/to/tinystm"; exit 2; }
	$(Q)$(MAKE) --no-print-directory $(O)/libstmlog.a $(O)/libstmlog-tinystm.a

TINY_OBJ := $(patsubst %.c,$(O)/obj/tinystm/%.o,$(TINY_SRC))
$(TINY_OBJ): $(O)/obj/tinystm/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(CFLAGS) $(ALL) -Iinclude -Iruntimes/tinystm -Iruntimes/native -isystem $(TINYSTM)/include -c -o $@ $<
$(O)/libstmlog-tinystm.a: $(TINY_OBJ)
	$(if $(Q),@echo "  AR    $@")
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/libtiny-parts.a: $(call obj,$(TINY_SRC) $(filter-out %_test.c,$(wildcard tests/tinystm/*.c)))
	$(Q)rm -f $@ && ar rcs $@ $^

# Of the library, what reads timelines.
$(O)/stmlog: $(call obj,$(TOOL_SRC)) $(addsuffix .o,$(MESSAGES)) $(O)/libstmlog.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(LINK) -o $@ $^ $(TOOL_LIBS)

# Messages of others, from their descriptions. The code that comes of these keeps to no rule of ours.
$(O)/obj/tools/%.pb-c.c $(O)/obj/tools/%.pb-c.h: tools/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(O)/obj/tools/%.pb-c.o: $(O)/obj/tools/%.pb-c.c
	$(Q)$(CC) $(CFLAGS) $(filter-out $(WARN),$(ALL)) -c -o $@ $<
$(call obj,$(wildcard tools/export/*.c tests/tools/export/*_test.c)): | $(addsuffix .h,$(MESSAGES))

$(O)/libtools.a: $(call obj,$(filter-out tools/stmlog.c,$(TOOL_SRC))) $(addsuffix .o,$(MESSAGES))
	$(Q)rm -f $@ && ar rcs $@ $^

# ---- programs to profile: they know nothing of us ----
BENCH_SUPPORT := $(wildcard bench/support/*.c)
$(O)/bench/%: bench/programs/%.c $(BENCH_SUPPORT) $(wildcard bench/support/*.h)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  TM    $@")
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(TM) -Ibench/support -o $@ $< $(BENCH_SUPPORT) -lm

# On the STM of this tree, which has hooks; and, off, with hooks that are nothing: they need no library.
STM_BUILD = $(CC) -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -pthread -Iinclude -Iruntimes/smallstm -Ibench/support \
            -o $@ $< $(BENCH_SUPPORT) $(STM_SRC) $(1) -lm
$(STM_PROGRAMS): $(BENCH_SUPPORT) $(wildcard bench/support/*.h) $(STM_SRC) $(wildcard runtimes/smallstm/*.h) $(O)/libstmlog.a
$(O)/bench/smallstm/%: bench/smallstm/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $@")
	$(Q)$(call STM_BUILD,$(O)/libstmlog.a)
$(O)/bench/smallstm/%-off: bench/smallstm/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $@")
	$(Q)$(call STM_BUILD,-DSTMLOG_OFF)

$(O)/bench/lttng/event: bench/lttng/event.c bench/lttng/bench_tracepoint.h bench/micro/bench.h $(O)/libstmlog.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -pthread -Iinclude -Ibench/lttng -Ibench/micro -o $@ $< $(O)/libstmlog.a -llttng-ust -ldl

$(O)/bench/export/%: $(O)/obj/bench/export/%.o $(O)/libsupport.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^

$(O)/bench/micro/%: $(O)/obj/bench/micro/%.o $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^

# ---- tests ----
# An archive: a test links the fixtures that it uses and no others.
$(O)/libsupport.a: $(call obj,$(wildcard tests/support/*.c))
	$(Q)rm -f $@ && ar rcs $@ $^
$(O)/tests/tools/%_test: $(O)/obj/tests/tools/%_test.o $(O)/libsupport.a $(O)/libtools.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka $(TOOL_LIBS)
$(O)/tests/native/%_test: $(O)/obj/tests/native/%_test.o $(O)/libsupport.a $(O)/libnative.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka
# The agent's parts one by one: a test that needs none of its hooks gets none.
$(O)/tests/libitm/%_test: $(O)/obj/tests/libitm/%_test.o $(O)/libsupport.a $(O)/libitm-parts.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka
$(O)/tests/smallstm/%_test: $(O)/obj/tests/smallstm/%_test.o $(O)/libsupport.a $(O)/libscenes.a $(O)/libsmallstm.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka
$(O)/tests/tinystm/wrap_test: LDFLAGS += -Wl,--wrap=stm_init
$(O)/tests/tinystm/%_test: $(O)/obj/tests/tinystm/%_test.o $(O)/libsupport.a $(O)/libtiny-parts.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka
$(O)/tests/%_test: $(O)/obj/tests/%_test.o $(O)/libsupport.a $(O)/libparts.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lcmocka

# TM programs for the shell tests, each at -O0 and -O2, and what those tests read them with.
PROGRAM_SUPPORT := $(wildcard tests/programs/support/*.c) bench/support/meeting.c
TM_PROGRAMS := $(foreach level,O0 O2,$(patsubst tests/programs/%,$(O)/programs/$(level)/%,\
                 $(basename $(wildcard tests/programs/*.c tests/programs/*.cc))))
HELPERS  := $(addprefix $(O)/tests/helpers/,entries hostile jsonq marks statistics tasks victims libcounters.so librtm.so)
tm-programs: $(TM_PROGRAMS) $(HELPERS) $(O)/obj/tests/helpers/linked_restarts.o
.PHONY: tm-programs

define program_rules
$(O)/programs/$(1)/obj/%.o: %.c $(wildcard tests/programs/support/*.h) bench/support/meeting.h
	@mkdir -p $$(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-clobbered $(TM) -$(1) -Itests/programs/support -Ibench/support -c -o $$@ $$<
$(O)/programs/$(1)/obj/%.o: %.cc $(wildcard tests/programs/support/*.h) bench/support/meeting.h
	@mkdir -p $$(@D)
	$(Q)$(CXX) -std=gnu++17 -Wall -Wextra $(TM) -$(1) -Itests/programs/support -Ibench/support -c -o $$@ $$<
$(O)/programs/$(1)/%: $(O)/programs/$(1)/obj/tests/programs/%.o \
                      $(patsubst %.c,$(O)/programs/$(1)/obj/%.o,$(PROGRAM_SUPPORT))
	$$(if $$(Q),@echo "  TM    $$@")
	$(Q)$(CXX) $(TM) -o $$@ $$^
endef
$(foreach level,O0 O2,$(eval $(call program_rules,$(level))))

$(O)/obj/tests/helpers/statistics.o: INC := -Itools/diff
$(O)/tests/helpers/statistics: $(O)/libtools.a
$(O)/tests/helpers/%: $(O)/obj/tests/helpers/%.o $(O)/libstmlog.a
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -ljansson -lm
$(O)/tests/helpers/librtm.so: $(O)/obj/tests/helpers/rtm_undo.o
$(O)/tests/helpers/lib%.so: $(O)/obj/tests/helpers/%.o
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -o $@ $^

# ---- installing: PREFIX is where it will run from, DESTDIR what stands before that now ----
PREFIX   ?= /usr/local
VERSION   = $(shell sed -n 's/^.define STMLOG_VERSION "\(.*\)"/\1/p' include/stmlog/stmlog.h)
define PC
prefix=$(PREFIX)
Name: stmlog
Description: records what memory transactions lose, where, and to whom
Version: $(VERSION)
Cflags: -I$${prefix}/include
Libs: -L$${prefix}/lib -lstmlog
Libs.private: -pthread
endef
export PC
install: all
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin lib/stmlog lib/pkgconfig include/stmlog)
	install $(O)/stmlog $(DESTDIR)$(PREFIX)/bin
	install $(O)/stmlog-calibrate $(DESTDIR)$(PREFIX)/lib/stmlog
	install -m 644 $(AGENTS) $(LINKED) $(DESTDIR)$(PREFIX)/lib/stmlog
	sed '$$s,.*/,$(PREFIX)/lib/stmlog/,' $(O)/stmlog-itm.wrap >$(DESTDIR)$(PREFIX)/lib/stmlog/stmlog-itm.wrap
	install -m 644 $(O)/libstmlog.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 $(O)/libstmlog.so $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libstmlog.so
	install -m 644 include/stmlog/* $(DESTDIR)$(PREFIX)/include/stmlog
	echo "$$PC" > $(DESTDIR)$(PREFIX)/lib/pkgconfig/stmlog.pc

# Kept, though nobody names them. Not .SECONDARY: with that an object would outlive a header of it that has gone.
.PRECIOUS: $(O)/obj/%.o $(O)/programs/O0/obj/%.o $(O)/programs/O2/obj/%.o

format:
	clang-format -i $$(git ls-files '*.c' '*.h')
clean:
	rm -rf build

-include $(shell test -d $(O)/obj && find $(O)/obj -name '*.d')
