/* SPDX-License-Identifier: MIT
 *
 * The recording file, byte by byte. NOTES.txt, "The file, byte by byte", has the reasons.
 *
 *   file header   16 bytes   struct stmlog_file_header
 *   sections      each a 24-byte struct stmlog_section_header and its payload,
 *                 padded with zero bytes to a multiple of 8 (padding is in neither
 *                 length nor checksum)
 *   the last section is STMLOG_SECTION_END, with an empty payload
 *
 * Little-endian; all integers are naturally aligned within their records. Both
 * checksums are CRC-32 as in zlib. Sections come in the order of their numbers, each
 * at most once. Records only ever grow at their end. A reader skips sections of
 * unknown type. If `record_size` is larger than the size that it knows, it ignores
 * the rest of each record. Of a file that ends early it can use the complete sections.
 *
 * References: a *string* is a byte offset into STMLOG_SECTION_STRINGS, offset 0 is
 * the empty string. A *traceback* is 0 for unknown, 1 for empty, otherwise 2 + its
 * ordinal in STMLOG_SECTION_TRACEBACKS. A *module* or *site* is its ordinal.
 *
 * `stmlog anonymize` replaces each string of a record, and each text within a record: for a
 * new member of that kind it needs new code (tools/anonymize/anonymize.c).
 */
#ifndef STMLOG_FORMAT_H
#define STMLOG_FORMAT_H

#include <stdint.h>

#define STMLOG_FILE_MAGIC "STMLOG\r\n" /* 8 bytes; a transfer as text damages it visibly */
#define STMLOG_FILE_VERSION 1

struct stmlog_file_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size; /* 16; the first section starts here */
};

enum stmlog_section {
	STMLOG_SECTION_INFO = 1,
	STMLOG_SECTION_STRINGS = 2,
	STMLOG_SECTION_MODULES = 3,
	STMLOG_SECTION_SITES = 4,
	STMLOG_SECTION_TRACEBACKS = 5,
	STMLOG_SECTION_TOTALS = 6,
	STMLOG_SECTION_THREADS = 7,
	STMLOG_SECTION_ENTRIES = 8,
	STMLOG_SECTION_BLOCKS = 9,
	STMLOG_SECTION_PLACES = 10,
	STMLOG_SECTION_EVENTS = 11,
	STMLOG_SECTION_PATHS = 12,
	STMLOG_SECTION_TRANSACTIONS = 13,
	STMLOG_SECTION_BLOCKED = 14,
	STMLOG_SECTION_OPEN = 15,
	STMLOG_SECTION_GREEN = 18, /* 16 and 17 are in files of earlier versions */
	STMLOG_SECTION_OWN_WORK = 19,
	STMLOG_SECTION_PROCESSES = 20,
	STMLOG_SECTION_LABELS = 21,
	STMLOG_SECTION_END = 255
};

struct stmlog_section_header {
	uint32_t type;
	uint32_t record_size; /* bytes per record; 0: the payload is no array of records */
	uint64_t length;      /* bytes of payload */
	uint32_t payload_crc;
	uint32_t header_crc; /* of the 20 bytes before */
};

/* INFO: strings "key=value", each ended by a NUL byte. info.def has a row for each key. */
#define STMLOG_INFO_UNSAID UINT64_MAX /* an ABSENT of info.def: not known, where 0 would have a meaning */

/* STRINGS: bytes; each string ends with a NUL byte; the first byte is NUL. */

/* MODULES: the mappings of the executable and its libraries. */
struct stmlog_module_record {
	uint64_t start; /* first and last + 1 address of its code when it ran */
	uint64_t end;
	uint64_t bias;         /* address = address in the ELF file + bias */
	uint32_t path;         /* string */
	uint32_t build_id_len; /* 0: it has none */
	uint8_t build_id[32];
};

enum stmlog_site_kind {
	STMLOG_SITE_ADDRESS = 0, /* position: a return address, perhaps of a known module */
	STMLOG_SITE_PLACE = 1,   /* function, file and line are known */
	STMLOG_SITE_OPAQUE = 2,  /* a site of the runtime's; function is not 0 if the runtime has named it */
	/* An address that `stmlog anonymize` has looked up: with the function, the file and the lines, as far as they
	 * are known. The lower half of `code` is 1 + the site of the function into which this one was inlined; the
	 * upper half is 1 + the site of the call that makes a transaction irrevocable here. 0: there is none. */
	STMLOG_SITE_NAMED = 3
};
#define STMLOG_NO_MODULE UINT32_MAX
#define STMLOG_NO_SITE UINT32_MAX

/* SITES */
struct stmlog_site_record {
	uint32_t kind;
	uint32_t module; /* STMLOG_NO_MODULE: none */
	uint64_t code;
	uint64_t position; /* for an address: the address when it ran */
	uint32_t function; /* string */
	uint32_t file;     /* string */
	uint32_t line;
	uint32_t last_line; /* the line is one from `line` to this one; 0: it is `line` */
};

/* TRACEBACKS: no records; each traceback is two words (uint32_t number of frames,
 * uint32_t flags) and the site of each frame (uint32_t), innermost first. */
#define STMLOG_TRACEBACK_CUT 1u /* outer frames are missing (depth limit) */
/* Of `stmlog anonymize`: the transaction that has accessed data at the first site begins at the second one, in the same
 * call of a function. So the second site is no frame of its own. */
#define STMLOG_TRACEBACK_BEGIN 2u

/* If only some transactions were measured, counts and times are of these only, and never
 * scaled. Fields named estimated_... are estimates for all transactions, with their
 * variances in ns^2. */

/* TOTALS: one record for each cause that occurred, and a last record with reason and
 * contention UINT32_MAX: the losses of evicted entries, which are part of the others. */
struct stmlog_total_record {
	uint32_t reason;
	uint32_t contention;
	uint64_t count;
	uint64_t lost_ns;
	double estimated_ns;
	double variance_ns2;
};

/* The rows of a thread's account that may be estimates. The arrays by row in thread records cannot grow: they end with
 * DESCHEDULED, and later rows have members of their own. */
enum stmlog_account_row {
	STMLOG_ACCOUNT_COMMITTED = 0,
	STMLOG_ACCOUNT_ABORTED = 1, /* of all contentions */
	STMLOG_ACCOUNT_PAUSED = 2,
	STMLOG_ACCOUNT_WAITING = 3, /* for whatever reason */
	STMLOG_ACCOUNT_OTHER = 4,
	STMLOG_ACCOUNT_OUTSIDE = 5, /* of an estimated account: the rest of the attached time */
	STMLOG_ACCOUNT_DESCHEDULED = 6,
	STMLOG_ACCOUNT_BLOCKED = 7, /* after a retry, until something changes that the transaction has read */
	STMLOG_ACCOUNT_ROWS
};
#define STMLOG_ACCOUNT_ARRAY 7 /* elements of the arrays by row */

/* THREADS: one record per thread, ordered by id. The record with id 0, if there is one,
 * is the remainder: the sum of all threads without a record of their own. */
struct stmlog_thread_record {
	uint32_t id;
	uint32_t name;           /* string */
	uint32_t flags;          /* STMLOG_THREAD_ENDED, STMLOG_THREAD_SPARE */
	uint32_t runtime;        /* string: the runtime that it belongs to; 0: not known */
	uint64_t attached_at_ns; /* clock */
	uint64_t attached_ns;
	uint64_t outside_ns;
	uint64_t committed_ns;
	uint64_t aborted_ns[4]; /* by contention, up to none */
	uint64_t paused_ns;
	uint64_t waiting_inevitable_ns;
	uint64_t waiting_none_ns;
	uint64_t other_ns;
	uint64_t open_ns;
	uint64_t commits;
	uint64_t aborts[4]; /* likewise */
	uint64_t pauses;
	uint64_t waits_inevitable;
	uint64_t waits_none;
	uint64_t others;
	uint64_t events;
	uint64_t unmeasured_commits;
	uint64_t unmeasured_aborts;
	uint64_t estimated_committed_ns;
	uint64_t estimated_aborted_ns[4];
	uint64_t estimated_paused_ns;
	uint64_t estimated_waiting_inevitable_ns;
	uint64_t estimated_waiting_none_ns;
	uint64_t estimated_other_ns;
	/* Of contention `data`, which has no element in the arrays above. */
	uint64_t aborted_data_ns;
	uint64_t aborts_data;
	uint64_t estimated_aborted_data_ns;
	uint64_t descheduled_ns; /* off the processor in transactions and waits, measured or not */
	uint64_t descheduled;    /* how often */
	double row_variance_ns2[STMLOG_ACCOUNT_ARRAY]; /* of the estimate of each row: chance; 0 for an exact row */
	uint64_t row_doubt_ns[STMLOG_ACCOUNT_ARRAY];   /* how far each may be off besides chance, either way */
	uint64_t blocked_ns;
	uint64_t blocked;         /* how often */
	uint64_t blocked_in_vain; /* of `blocked`: the transaction blocked once more before it committed */
	uint64_t estimated_blocked_ns;
	double blocked_variance_ns2; /* as row_variance_ns2 */
	uint64_t blocked_doubt_ns;
	/* Times that the thread has reported of transactions that had no thread while they were blocked. They are not a
	 * part of attached_ns. */
	uint64_t blocked_unattached_ns;
	uint64_t blocked_unattached;
	uint64_t blocked_unattached_in_vain;
	uint32_t system_id; /* the kernel's number of the thread, as gettid() returns it; 0: not known, or no OS thread
			     */
	uint32_t reserved;
};
#define STMLOG_THREAD_ENDED 1u
#define STMLOG_THREAD_SPARE 2u /* a spare lane (stmlog_set_spare()), not a thread of its own */

/* ENTRIES: merged over all threads by key, highest lost_ns first. read.h, struct stmlog_entry, explains the fields.
 */
struct stmlog_entry_record {
	uint32_t reason;
	uint32_t contention;
	uint32_t detail; /* string */
	uint32_t grade;
	uint32_t local;  /* traceback */
	uint32_t remote; /* traceback */
	uint32_t local_thread;
	uint32_t remote_thread;
	uint64_t count;
	uint64_t lost_ns;
	uint64_t reserved;
	uint64_t longest_ns;
	uint64_t shortest_ns;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t false_conflicts;
	struct {
		uint64_t address; /* 0: unused */
		uint64_t count;
	} objects[4];
	uint64_t wasted;
	uint64_t wasted_ns;
	uint64_t undecided;
	uint32_t object_names[4];  /* strings: the runtime's names; 0: none */
	uint64_t certain;          /* of count, with grade certain */
	uint64_t false_aliases;    /* of false_conflicts: the objects are far apart and share a lock */
	uint64_t object_others[4]; /* objects that the other transaction touched; 0: not known, or the same */
	double estimated_ns;       /* of lost_ns */
	double variance_ns2;
	uint32_t site;        /* where the transaction of the first loss begins; STMLOG_NO_SITE: not known */
	uint16_t local_green; /* of the longest loss: the n-th record of GREEN; 0: not known */
	uint16_t remote_green;
	uint64_t descheduled_ns; /* off the processor in these attempts, pauses and waits; no part of lost_ns */
};

/* BLOCKS: allocated blocks that contain objects of the entries, by ascending addresses. */
struct stmlog_block_record {
	uint64_t address;
	uint64_t size;      /* at least 1 */
	uint32_t traceback; /* of the allocation */
	uint32_t flags;     /* STMLOG_BLOCK_FREED */
};
#define STMLOG_BLOCK_FREED 1u /* the block was freed, and its memory not allocated again */

/* PLACES: the places of events (timeline.h, struct stmlog_place). The first one is the unknown place. */
struct stmlog_place_record {
	uint32_t traceback;
	uint32_t word; /* string */
};

/* EVENTS: a timeline (timeline.h), in its order. A file without a timeline has no such section. The members are those
 * of struct stmlog_event; the kinds are numbered as in events.def. */
struct stmlog_event_record {
	uint64_t time_ns;
	uint64_t argument;
	uint32_t place;
	uint32_t thread;
	uint32_t other;
	uint8_t kind;
	uint8_t reason;
	uint8_t contention;
	uint8_t detail;
};

/* PATHS: where time went, by traceback; each traceback once, merged over all threads. Traceback 0 has the transactions
 * with an unknown traceback. A second record with traceback 0, and STMLOG_PATH_OVERFLOW, has the transactions for whose
 * tracebacks there was no room. So the sums over all records are the sums over the threads, if all threads had ended
 * (others go on while the file is written). */
struct stmlog_path_record {
	uint32_t traceback;
	uint32_t flags;
	uint64_t commits; /* measured, like all counts, and all times that are not named estimated */
	uint64_t aborts;
	uint64_t pauses;
	uint64_t waits;
	uint64_t committed_ns;
	uint64_t aborted_ns;
	uint64_t paused_ns;
	uint64_t waiting_ns;
	double estimated_committed_ns;
	double estimated_aborted_ns;
	double estimated_paused_ns;
	double estimated_waiting_ns;
	double estimated_commits;
	double estimated_aborts;
};
#define STMLOG_PATH_OVERFLOW 1u

/* TRANSACTIONS: measured transactions that have committed, one record for each site where they begin: how many attempts
 * they took, how much time their aborted attempts took together, and how much the last one had read. The record with
 * STMLOG_NO_SITE has transactions of unknown sites, and of sites for which there was no room. A record without commits
 * is of a site of which transactions were only timed.
 *
 * Buckets are log-linear. A value below 8 has the bucket of its own number. A larger value of e binary digits has
 * bucket 8 + 4 * (e - 4) + the two digits after its first digit. So there are four buckets for each power of two, and
 * the width of a bucket is at most a quarter of its values. The last bucket has all larger values, too. */
#define STMLOG_ATTEMPT_BUCKETS 64
#define STMLOG_LOST_BUCKETS 168
struct stmlog_transaction_record {
	uint32_t site;
	uint32_t reserved;
	uint64_t commits;
	uint64_t attempts;                            /* of all these transactions, the successful ones included */
	uint64_t lost_ns;                             /* time of their aborted attempts */
	uint64_t max_attempts;                        /* of one transaction */
	uint64_t longest_ns;                          /* highest loss of one transaction */
	uint64_t by_attempts[STMLOG_ATTEMPT_BUCKETS]; /* transactions by their attempts; the sum is commits */
	uint64_t by_lost_ns[STMLOG_LOST_BUCKETS];     /* transactions by their loss; the sum is commits */
	uint64_t committed_ns;                        /* time of their last attempts, those that committed */
	/* Up to here: files of versions that count no reads. */
	uint64_t reads;       /* of their last attempts: words, or TVars; only of those whose reads are known */
	uint64_t reads_known; /* of how many last attempts the reads are known; at most commits */
	/* Of the site's transactions, measured or not. Those of all sites add up to what the threads have, or to more
	 * if sites have so much that was measured. */
	double estimated_committed_ns;
	double estimated_commits;
};

/* BLOCKED: how long transactions were blocked after a retry, one record for each site where they begin, in any order.
 * The record with STMLOG_NO_SITE is as in TRANSACTIONS. The sums are those of the threads, `blocked` and
 * `blocked_unattached` together. A file in which no transaction was blocked has no such section. */
#define STMLOG_WAKERS 4
struct stmlog_blocked_record {
	uint32_t site;
	uint32_t reserved;
	uint64_t count;
	uint64_t in_vain; /* of count */
	uint64_t blocked_ns;
	uint64_t longest_ns;
	double estimated_ns; /* of blocked_ns, for all transactions */
	/* Up to here: files of versions that do not tell what has ended these times. */
	uint64_t wakes_known; /* wakes by a transaction that is known; of a sample of all */
	struct {
		uint32_t site; /* where that transaction begins */
		uint32_t reserved;
		uint64_t count; /* of wakes_known; 0: the last ones of the array are not used */
	} wakers[STMLOG_WAKERS];
	uint64_t for_ever; /* how often nothing was left that could wake one, so that the runtime ended it */
};

/* OPEN: transactions and waits that were under way when the file was written, and had been for at least a millisecond;
 * at most one for each thread. The longest come first. If there was none, the file has no such section. */
struct stmlog_open_record {
	uint32_t thread;
	uint32_t kind;         /* enum stmlog_open_kind */
	uint32_t site;         /* where the transaction begins; STMLOG_NO_SITE: not known */
	uint32_t other_thread; /* of the transaction because of which it waits; 0: none, or not known */
	uint32_t other_site;   /* a site of that transaction; STMLOG_NO_SITE: not known */
	uint32_t grade;        /* of the other transaction */
	uint64_t open_ns;      /* for how long it has been under way, at least */
};

/* GREEN: the green threads of the runtime that have lost time, or made others lose it: those of Haskell. Sums are of
 * measured losses, without user-aborts. A file without any has no such section. */
#define STMLOG_GREEN_MAX 512
struct stmlog_green_record {
	uint64_t id;    /* the runtime's number of the thread; 0: several threads have the label */
	char label[32]; /* ended by a NUL byte; "": none */
	uint64_t count; /* its losses */
	uint64_t estimated_ns;
	uint64_t led_count; /* losses of others because of it */
	uint64_t led_estimated_ns;
};

/* OWN_WORK: the runtime's own work by its own words, such as back-off. Together they are at most other_ns of all
 * threads: the rest had no word. A file without any has no such section. */
struct stmlog_own_work_record {
	char word[32];  /* ended by a NUL byte */
	uint64_t count; /* measured, as other_ns is */
	uint64_t ns;
};

/* PROCESSES: one record for each process of the run. A file of a single process has no such section. The processes of
 * one program stand one behind the other. The records add up to the sums of all threads. In a merge of several runs the
 * n-th processes of a program have one record together. */
#define STMLOG_PROCESS_ROWS 8 /* up to BLOCKED; later rows will have members of their own */
struct stmlog_process_record {
	uint32_t program; /* string: the last part of the path of its executable */
	uint32_t reserved;
	uint64_t pid; /* 0: of several */
	uint64_t threads;
	uint64_t attached_ns;
	uint64_t row_ns[STMLOG_PROCESS_ROWS]; /* by enum stmlog_account_row: estimates where the run was sampled */
	uint64_t commits;                     /* measured or not, likewise the aborts */
	uint64_t aborts;
};

/* LABELS: the names that the program has given to its data (label.h). First the labels that losses have met, each once,
 * with address and size 0. Then the pieces of memory that have these labels, by ascending addresses, without sums. They
 * do not overlap. A file without any has no such section. */
struct stmlog_label_record {
	uint64_t address;
	uint64_t size;
	uint64_t count; /* measured losses whose object had the label */
	uint64_t estimated_ns;
	char text[128]; /* ended by a NUL byte */
};

#endif
