# Fuzzing of the readers. `make fuzz` is by clang's libFuzzer, which looks for inputs that reach new code; `make test`
# repeats inputs without that (replay.c), with any compiler. The code under test has the sanitizers and the fuzzer's
# counters. What drives it has neither: it is not under test, and counters would mislead.

comma    := ,
$(O)/obj/tests/fuzz/%.o:       INC := -Itools $(EVERY_TOOL) -Itests/support -Itests/fuzz
$(O)/obj/tests/fuzz/%.o:       ALL := $(filter-out -fsanitize%,$(ALL))
FUZZ_DRIVER  := $(call obj,$(addprefix tests/fuzz/,mutate.c sections.c memory_file.c fuzz_limits.c))
FUZZ_TARGETS := $(addprefix $(O)/fuzz/,read views)
FUZZ_REPLAYS := $(addprefix $(O)/fuzz/,read_replay views_replay)
FUZZ_WRAPS   := $(addprefix -Wl$(comma)--wrap=,open fstat pread close)
FUZZ_LIBS    := $(addprefix $(O)/,libtools.a libsupport.a libstmlog.a)

$(FUZZ_TARGETS): private FORM := -fsanitize=fuzzer $(FUZZ_WRAPS)
$(FUZZ_REPLAYS): private FORM := $(FUZZ_WRAPS)
$(FUZZ_TARGETS) $(FUZZ_REPLAYS): private LIBS := $(TOOL_LIBS)
$(O)/fuzz/%_replay: $(O)/obj/tests/fuzz/%_fuzz.o $(O)/obj/tests/fuzz/replay.o $(FUZZ_DRIVER) $(FUZZ_LIBS)
	$(link)
$(O)/fuzz/%: $(O)/obj/tests/fuzz/%_fuzz.o $(FUZZ_DRIVER) $(FUZZ_LIBS)
	$(link)
$(O)/fuzz/seeds: private LIBS :=
$(O)/fuzz/seeds: $(O)/obj/tests/fuzz/seeds.o $(O)/libsupport.a
	$(link)

# The keys of INFO, and words of the formats that stmlog reads and writes.
$(O)/fuzz/dictionary: include/stmlog/info.def tests/fuzz/words.dict
	@mkdir -p $(@D)
	$(Q)cat tests/fuzz/words.dict >$@
	$(Q)sed -n 's/^STMLOG_INFO_[A-Z]*(\([a-z_]*\),.*/"\1="/p' $< >>$@

.PHONY: fuzz-targets fuzz-replays fuzz
fuzz-targets: $(FUZZ_TARGETS) $(O)/fuzz/seeds $(O)/fuzz/dictionary
fuzz-replays: $(FUZZ_REPLAYS) $(O)/fuzz/seeds

# On demand: FUZZ_MINUTES in all, in FUZZ_JOBS processes at a time.
FUZZ_MINUTES ?= 10
FUZZ_JOBS    ?= 1
FUZZ_BUILD   := CC=clang CFLAGS='-O2 -g' SAN=fuzzer-no-link,address,undefined O=build/fuzzer
fuzz: | packages-fuzz
	$(Q)$(MAKE) --no-print-directory all $(O)/tests/helpers/hostile $(O)/tests/helpers/tasks $(O)/bench/bank
	$(Q)$(MAKE) --no-print-directory $(FUZZ_BUILD) fuzz-targets
	$(Q)sh tests/long/fuzz.sh $(FUZZ_MINUTES) $(FUZZ_JOBS)
