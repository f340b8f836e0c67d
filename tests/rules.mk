# Unit tests (cmocka), and for the shell tests the TM programs that they run and the helpers that they read them with.

$(O)/obj/tests/base/%.o:       INC := -Ibase -Itests/support
$(O)/obj/tests/traceback/%.o:  INC := -Ibase -Itraceback -Itests/support
$(O)/obj/tests/stmlog/%.o:     INC := -Ibase $(EVERY_ROOM) -Iformat -Itests/support
$(O)/obj/tests/report/%.o:     INC := -Ibase $(EVERY_REPORT) -Itests/support
$(O)/obj/tests/native/%.o:     INC := -Iruntimes/native -Itests/support
$(O)/obj/tests/libitm/%.o:     INC := $(EVERY_ITM_ROOM) -Iruntimes/libitm/objects \
                                    -Iruntimes/libitm/calibrate -Itests/libitm -Itests/support $(FAKE_TICKS)
$(O)/obj/tests/ghc/%.o:        INC := -Ibase $(EVERY_GHC_ROOM) -Itests/ghc -Itests/support
$(O)/obj/tests/ghc/seen_loss.o: INC := -Ibase $(EVERY_ROOM) -Itests/ghc -Itests/support
$(O)/obj/tests/ghc/preloaded/%.o: INC := -Iruntimes/ghc/entries -Iruntimes/ghc/preloaded -Itests/support
$(O)/obj/tests/examples/%.o:   INC := -Iexamples/support -Iexamples/scenarios -Itests/examples -Itests/support
$(O)/obj/tests/examples/smallstm/%.o: INC := -Iexamples/support -Iexamples/smallstm -Itests/examples -Itests/support
$(O)/obj/tests/examples/lazystm/%.o: INC := -Iexamples/support -Iexamples/lazystm -Itests/examples -Itests/support
$(O)/obj/tests/tinystm/%.o:    INC := -Ibase -Iruntimes/tinystm -Iruntimes/native -Itests/tinystm -Itests/support
$(O)/obj/tests/tools/%.o:      INC := -Itools $(EVERY_TOOL) -Itests/tools $(patsubst %/,-I%,$(wildcard tests/tools/*/)) -Itests/support
$(O)/obj/tests/support/%.o:    INC := -Ibase -Itests/support

# ---- running them ----
.PHONY: test check quick rows points strangers test-regression test-signals test-distributions test-aarch64 test-litmus test-ghc-newer torture lint coverage matrix itm-testsuite soak lives tests tm-programs
# The page's libraries are fetched first, since commands built without them have no page. Without npm or the network its
# test is skipped.
test: | packages-test
	$(Q)$(MAKE) --no-print-directory page-libraries page-tests || echo "  --    npm could not fetch what the page and its test need"
	$(Q)$(MAKE) --no-print-directory check
check:
	$(Q)sh tests/run.sh '$(T)'
quick: | packages-quick
	$(Q)sh tests/run.sh --quick '$(T)'

# On demand: some ten minutes.
test-regression: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)sh tests/long/regression.sh

# On demand: a minute.
test-signals: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)STMLOG_BUILT=1 sh tests/cli/interrupted.sh 60

# On demand: some forty minutes, or ROUNDS=N rounds.
torture: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)STMLOG_BUILT=1 sh tests/long/torture.sh $(ROUNDS)

# On demand: some twenty minutes; MATRIX_ROUNDS.
matrix: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)STMLOG_BUILT=1 sh tests/long/matrix.sh $(MATRIX_ROUNDS)

# On demand: half an hour; SOAK_MINUTES.
soak: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs programs
	$(Q)STMLOG_BUILT=1 sh tests/long/soak.sh $(or $(SOAK_MINUTES),30)

# On demand: some forty minutes, or LIVES=N threads.
lives: | packages-test
	$(Q)sh tests/long/lives.sh $(LIVES)

# On demand: some five minutes, or ROW_RUNS=N runs of each program.
rows: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)sh tests/long/rows.sh $(ROW_RUNS)

# On demand: some 70 minutes, or STRANGER_RUNS=N runs of each program.
strangers: | packages-test
	$(Q)$(MAKE) --no-print-directory all
	$(Q)sh tests/long/strangers.sh $(STRANGER_RUNS)

# On demand: some five minutes.
points: | packages-test
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/helpers/jsonq
	$(Q)sh tests/long/points.sh $(POINT_RUNS)

# On demand, with the folder libitm/testsuite of GCC's sources as SRC: some minutes.
itm-testsuite: | packages-test
	$(Q)$(MAKE) --no-print-directory all tm-programs
	$(Q)STMLOG_BUILT=1 sh tests/long/itm_testsuite.sh '$(SRC)' $(ITM_ROUNDS)

# On demand: both commands of the README on bare systems, some half an hour for each.
test-distributions:
	$(Q)sh tests/long/distributions.sh

# On demand: the tests of the module for GHC with newer GHCs, some half an hour.
test-ghc-newer:
	$(Q)sh tests/long/ghc_newer.sh

# On demand: a minute. Debian has no herd7.
test-litmus:
	$(Q)sh tests/long/litmus.sh

# On demand: ten minutes.
test-aarch64: | packages-tool
	$(Q)sh tests/long/aarch64.sh

# On demand: faults that can be seen without running anything; what it needs is installed first.
lint: | packages-lint
	$(Q)sh tests/long/lint.sh $(T)

# On demand: branches covered by tests, by folder.
coverage: | packages-coverage
	$(Q)sh tests/long/coverage.sh

# ---- unit tests ----
TESTS    := $(patsubst %.c,$(O)/%,$(shell find tests -name '*_test.c'))
# The agent for libitm and the code of transactions that it meets are for x86-64.
ifneq ($(ARCH),x86_64)
TESTS    := $(filter-out $(O)/tests/libitm/% $(O)/tests/ghc/% %/tail_frames_test %/tail_frames_begin_test %/itm_call_unsafe_test %/libitm/libitm_find_test,$(TESTS))
endif
tests: $(TESTS)
# They may run below an emulator (tests/support/stress.h).
$(O)/obj/tests/%.o: CFLAGS += $(if $(CROSS),-DTESTS_EMULATED)
.PHONY: list-tests
list-tests: ; @printf '%s\n' $(sort $(TESTS:$(O)/%=%))

# An archive, so that a test links only the fixtures that it uses.
$(O)/libsupport.a: $(call obj,$(filter-out %/fake_interruption.c,$(wildcard tests/support/*.c)))
	$(archive)

# $(call unit_tests,FOLDER,ARCHIVES,LIBRARIES,LAST): what the unit tests of a folder link; LAST: the library, if not its
# parts. The most specific folder applies.
# With COVERAGE=1, processes that end without exit() store their counters, too.
# They are linked with the fake clock (tests/support/fake_clock.h), but for some.
REAL_CLOCK := $(shell sed -n '/^[^#]/s/.*: //p' tests/house/real_clock.known | tr -d ',')
FAKE_CLOCK := $(foreach function,clock_gettime getrusage,-u __wrap_$(function) -Wl$(comma)--wrap=$(function))
clock_of  = $(if $(filter $(REAL_CLOCK:%=$(O)/tests/%),$(1)),,$(FAKE_CLOCK))
ENDS     := $(if $(COVERAGE),-u __wrap__exit $(patsubst %,-Xlinker --wrap=%,_exit abort raise execv execvp syscall))
define unit_tests
$(O)/tests/$(1)%_test: private FORM = $(ENDS) $$(call clock_of,$$@)
$(O)/tests/$(1)%_test: private LIBS := -lcmocka $(3)
$(O)/tests/$(1)%_test: $(O)/obj/tests/$(1)%_test.o $(patsubst %,$(O)/lib%.a,support $(2) $(or $(4),parts))
	$$(link)
endef
$(eval $(call unit_tests))
# Interruptions as the test says.
$(addprefix $(O)/tests/,ghc/state/sampling_late_test libitm/sampling/preemption_test libitm/waits/stopwatch_test stmlog/threads/off_processor_test): \
	$(O)/obj/tests/support/fake_interruption.o
# As the command, whose libtools.a has report/ as well: of the library, public names alone.
$(foreach folder,tools/ report/,$(eval $(call unit_tests,$(folder),tools,$(TOOL_LIBS),stmlog)))
# Code as GHC makes it.
$(O)/tests/tools/symbols/haskell_frames_test $(O)/tests/tools/symbols/module_code_test: $(O)/obj/tests/tools/symbols/haskell_code.o
$(O)/tests/base/locks_test: LDFLAGS += -Wl,--wrap=madvise
$(O)/tests/stmlog/session/runtimes_test: LDFLAGS += -Wl,--wrap=sched_yield
$(O)/tests/tools/record/record_env_test: LDFLAGS += -Wl,--wrap=clock_calibrate_tsc
$(eval $(call unit_tests,native/,native))
# An archive of the agent's objects, so that a test links only those that it needs.
$(eval $(call unit_tests,libitm/,itm-parts))
# The stand-in for the RTS needs fixtures, and so the archives are looked through in turns.
$(eval $(call unit_tests,ghc/,ghc-parts native,-Wl$(comma)--end-group))
$(O)/tests/ghc/%_test: LDFLAGS += -Wl,--start-group
# Opens the module when the test is loaded; the others open it themselves.
$(O)/tests/ghc/life/life_test: $(O)/obj/runtimes/ghc/life/life.o
$(eval $(call unit_tests,ghc/preloaded/,ghc-preloaded native,-Wl$(comma)--end-group))
# The same tests with each STM, and further ones of its own. The archives are looked through in turns, as for ghc/.
$(O)/libexample-tests.a: $(call obj,$(addprefix tests/examples/,stm_session.c bank.c model.c scenario_tests.c) examples/scenarios/scenario.c)
	$(archive)
$(O)/tests/examples/%_test: LDFLAGS += -Wl,--start-group
$(eval $(call unit_tests,examples/smallstm/,example-tests smallstm,-Wl$(comma)--end-group))
$(eval $(call unit_tests,examples/lazystm/,example-tests lazystm,-Wl$(comma)--end-group))
$(foreach stm,smallstm lazystm,$(eval $(call unit_tests,examples/scenarios/$(stm)_,example-tests $(stm),-Wl$(comma)--end-group)))
$(addprefix $(O)/tests/examples/,smallstm/transaction_test lazystm/transaction_test): $(O)/obj/tests/examples/transactions.o
$(O)/tests/examples/scenarios/smallstm_scenarios_test: $(O)/obj/examples/scenarios/smallstm_scenarios.o
$(O)/tests/examples/scenarios/lazystm_scenarios_test: $(O)/obj/examples/scenarios/lazystm_scenarios.o
$(eval $(call unit_tests,tinystm/,tiny-parts))
$(O)/tests/tinystm/wrap_test: LDFLAGS += -Wl,--wrap=stm_init

# ---- TM programs, each at -O0 and -O2 ----
PROGRAM_SUPPORT := $(wildcard tests/programs/support/*.c) bench/support/meeting.c
TM_PROGRAMS := $(foreach level,O0 O2,$(patsubst tests/programs/%,$(O)/programs/$(level)/%,\
                 $(basename $(wildcard tests/programs/*.c tests/programs/*.cc))))
# The scenes once more: in programs that embed the library, and in the same programs without it.
SCENES   := $(basename $(notdir $(wildcard tests/programs/scenes_*.c)))
EMBEDDED := $(foreach form,embedded off,$(patsubst %,$(O)/programs/$(form)/%,$(SCENES)))
# The programs in which a transaction is in the way of others, with and without that each (tests/cli/rows.sh).
ROW_PROGRAMS := $(patsubst tests/%,$(O)/%,$(subst /rows/,/O2/rows/,$(basename $(wildcard tests/programs/rows/*.c*))))
HELPERS  := $(addprefix $(O)/tests/helpers/,aggressors blind costly damage displaced entries filled_profile futures golden_recordings hostile interrupted jsonq located marks neutral sessions sort_tasks statistics tasks victims wide_lines libcounters.so)
# Their code for system calls is that of one processor.
ifeq ($(ARCH),x86_64)
HELPERS  += $(addprefix $(O)/tests/helpers/,warm_hooks $(if $(CLANG)$(COVERAGE),,warm_transactions))
endif
tm-programs: $(if $(CLANG),no-tm,$(TM_PROGRAMS) $(ROW_PROGRAMS) $(EMBEDDED)) $(HELPERS) $(O)/obj/tests/helpers/linked_restarts.o

define program_rules
$(O)/programs/$(1)/obj/%.o: %.c $(wildcard tests/programs/support/*.h) bench/support/meeting.h
	@mkdir -p $$(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-clobbered $(TM) -$(1) -Itests/programs/support -Ibench/support -c -o $$@ $$<
$(O)/programs/$(1)/obj/%.o: %.cc $(wildcard tests/programs/support/*.h) bench/support/meeting.h
	@mkdir -p $$(@D)
	$(Q)$(CXX) -std=gnu++17 -Wall -Wextra -Wno-clobbered $(TM) -$(1) -Itests/programs/support -Ibench/support -c -o $$@ $$<
$(O)/programs/$(1)/%: $(O)/programs/$(1)/obj/tests/programs/%.o \
                      $(patsubst %.c,$(O)/programs/$(1)/obj/%.o,$(PROGRAM_SUPPORT))
	@mkdir -p $$(@D)
	$$(call say,TM)
	$(Q)$(CXX) $(TM) -o $$@ $$^
endef
$(foreach level,O0 O2,$(eval $(call program_rules,$(level))))

$(O)/programs/embedded/total.o: OFF :=
$(O)/programs/off/total.o: OFF := -DSTMLOG_OFF
$(O)/programs/%/total.o: tests/programs/embedded/total.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O2 $(OFF) -Iinclude -Itests/programs/support -c -o $@ $<
EMBEDDED_OBJ := $(patsubst %,$(O)/programs/O2/obj/%.o,$(addprefix tests/programs/support/,scenes total_rounds) bench/support/meeting)
$(O)/programs/embedded/%: $(O)/programs/O2/obj/tests/programs/%.o $(O)/programs/embedded/total.o $(EMBEDDED_OBJ) $(O)/libstmlog.a
	$(call say,TM)
	$(Q)$(CXX) $(TM) -o $@ $^
$(O)/programs/off/%: $(O)/programs/O2/obj/tests/programs/%.o $(O)/programs/off/total.o $(EMBEDDED_OBJ)
	$(call say,TM)
	$(Q)$(CXX) $(TM) -o $@ $^

# ---- helpers of the shell tests ----
$(O)/obj/tests/helpers/statistics.o: INC := -Itools/common
$(patsubst %,$(O)/obj/tests/helpers/%.o,aggressors hostile interrupted sessions victims): INC := -Itests/support
$(O)/tests/helpers/statistics: $(O)/libtools.a
$(O)/tests/helpers/interrupted: $(O)/libsupport.a
$(O)/obj/tests/helpers/neutral.o: INC := -Itests/support
$(O)/tests/helpers/neutral: $(O)/libsupport.a
$(O)/obj/tests/helpers/costly.o $(O)/obj/tests/helpers/golden_recordings.o: INC := -Itests/support
$(O)/tests/helpers/costly $(O)/tests/helpers/golden_recordings: $(O)/libsupport.a
$(O)/obj/tests/helpers/located.o: INC := -Itests/support
$(O)/tests/helpers/located: $(O)/libsupport.a
$(O)/tests/helpers/%: private LIBS := -ljansson -lm
$(O)/tests/helpers/%: $(O)/obj/tests/helpers/%.o $(O)/libstmlog.a
	$(link)
$(O)/obj/tests/helpers/warm_hooks.o: INC := -Itests/helpers -Itests/support
$(O)/tests/helpers/warm_hooks: $(O)/obj/tests/helpers/watch.o
$(O)/tests/helpers/warm_transactions: tests/helpers/warm_transactions.c $(O)/obj/tests/helpers/watch.o
	@mkdir -p $(@D)
	$(call say,TM)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-clobbered $(TM) -rdynamic -Itests/helpers -o $@ $^ -ldl
$(O)/tests/helpers/lib%.so: private FORM := -shared
$(O)/tests/helpers/lib%.so: private LIBS :=
$(O)/tests/helpers/lib%.so: $(O)/obj/tests/helpers/%.o
	$(link)

include tests/fuzz/rules.mk
