# What the two sides of a recording share, format/, and the command's report: its text, and the ranking that stands first
# in it. Both see base, and nothing of the recorder.

$(O)/obj/format/%.o:           INC := -Iformat
FORMAT_SRC := $(wildcard format/*.c)

REPORT_ROOMS := text ranking
EVERY_REPORT := -Iformat $(patsubst %,-Ireport/%,$(REPORT_ROOMS))
$(call rooms,report,-Ibase -Iformat,$(REPORT_ROOMS))
REPORT_SRC := $(wildcard report/*/*.c)
