# The command. Each folder sees those that it is built on: common, recording, analysis; then libitm (for record alone),
# report (for export), annotate, record, diff and merge. The subcommands, tools/cmd_*.c, see them all.

FOUND     := -Istmlog/report -Itools/common -Itools/recording -Itools/analysis
EVERY_TOOL := -Istmlog/report -Istmlog/findings $(patsubst %/,-I%,$(wildcard tools/*/)) -I$(O)/obj/tools/export
$(call obj,$(wildcard tools/*.c)): INC := $(EVERY_TOOL)
$(O)/obj/tools/common/%.o:     INC := -Istmlog/report -Itools/common
$(O)/obj/tools/libitm/%.o:     INC := -Istmlog/report -Itools/common -Itools/libitm
$(O)/obj/tools/recording/%.o:  INC := -Istmlog/report -Itools/common -Itools/recording
$(O)/obj/tools/analysis/%.o:   INC := $(FOUND)
$(O)/obj/tools/report/%.o:     INC := $(FOUND) -Istmlog/findings -Itools/report
$(O)/obj/tools/export/%.o:     INC := $(FOUND) -Itools/report -Itools/export -I$(O)/obj/tools/export
$(O)/obj/tools/record/%.o:     INC := $(FOUND) -Itools/libitm -Itools/record
$(O)/obj/tools/annotate/%.o: INC := $(FOUND) -Itools/annotate
$(O)/obj/tools/diff/%.o:       INC := $(FOUND) -Itools/diff
$(O)/obj/tools/merge/%.o:      INC := $(FOUND) -Itools/merge
$(O)/obj/tools/help/%.o:       INC := -Istmlog/report -Itools/common -Itools/help

TOOL_SRC := $(wildcard tools/*.c tools/*/*.c) $(REPORT_SRC) base/radix.c
TOOL_LIBS := -ldw -lelf -ljansson -lprotobuf-c -lz -lm

# Messages of Perfetto and pprof, generated from their descriptions. This code is not compiled with our warnings.
MESSAGES := $(patsubst tools/%.proto,$(O)/obj/tools/%.pb-c,$(wildcard tools/export/*.proto))
$(O)/obj/tools/%.pb-c.c $(O)/obj/tools/%.pb-c.h: tools/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(O)/obj/tools/%.pb-c.o: $(O)/obj/tools/%.pb-c.c
	$(Q)$(CC) $(CFLAGS) $(filter-out $(WARN),$(ALL)) -c -o $@ $<
$(call obj,$(wildcard tools/export/*.c tests/tools/export/*_test.c)): | $(addsuffix .h,$(MESSAGES))

# The command reads timelines by functions of the library.
$(O)/stmlog: private LIBS := $(TOOL_LIBS)
$(O)/stmlog: $(call obj,$(TOOL_SRC)) $(addsuffix .o,$(MESSAGES)) $(O)/libstmlog.a
	$(link)

# All but main(), for the unit tests.
$(O)/libtools.a: $(call obj,$(filter-out tools/stmlog.c,$(TOOL_SRC))) $(addsuffix .o,$(MESSAGES))
	$(archive)
