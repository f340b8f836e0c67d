# What the two sides of a recording share, format/, and the report: its text, and the findings that stand first in it. Both
# see base, and nothing of the recorder.

$(O)/obj/format/%.o:           INC := -Iformat
FORMAT_SRC := $(wildcard format/*.c)

EVERY_REPORT := -Iformat -Ireport/text -Ireport/findings
$(O)/obj/report/text/%.o:      INC := -Ibase -Iformat -Ireport/text
$(O)/obj/report/findings/%.o:  INC := -Ibase $(EVERY_REPORT)

EVERY_REPORT_SRC := $(wildcard report/*/*.c)
# Without what the command has in its own way: memory, and names from debug information.
REPORT_SRC := $(filter-out %/report_arena.c %/report_symbols.c,$(EVERY_REPORT_SRC))
