# What the two sides of a recording share, format/, and the report: its text, the findings that stand first in it, and the
# report that a process prints of itself. Both see base, and nothing of the recorder.

$(O)/obj/format/%.o:           INC := -Iformat
FORMAT_SRC := $(wildcard format/*.c)

REPORT_ROOMS := text findings process
EVERY_REPORT := -Iformat $(patsubst %,-Ireport/%,$(REPORT_ROOMS))
$(call rooms,report,-Ibase -Iformat,$(REPORT_ROOMS))

# What the command links: memory, and names from debug information, it has in its own way.
REPORT_SRC := $(filter-out %/report_arena.c %/report_symbols.c,$(wildcard report/text/*.c report/findings/*.c))
REPORTER_SRC := $(wildcard report/*/*.c)

# The reporter, for the unit tests.
$(O)/libreport.a: $(call obj,$(REPORTER_SRC))
	$(archive)
# Pulls the reporter out of an archive: the recorder's reference to it is weak.
WITH_REPORTER := -Wl,-u,stmlog_process_reporter
