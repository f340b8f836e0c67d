/* SPDX-License-Identifier: MIT
 *
 * The functions of the RTS in a program that was linked with stmlog-ghc.wrap. The linker gets --wrap for each of them:
 * so a call of X goes to __wrap_X (stubs.S), and a reference to __real_X means X.
 */
#include "real.h"

extern struct hs_trec *__real_stmStartTransaction(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
extern uintptr_t __real_stmReadTVar(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t);
extern void __real_stmWriteTVar(struct hs_capability *, struct hs_trec *, struct hs_tvar *, uintptr_t);
extern uintptr_t __real_stmCommitTransaction(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
extern uintptr_t __real_stmCommitNestedTransaction(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
extern uintptr_t __real_stmValidateNestOfTransactions(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
extern void __real_stmAbortTransaction(struct hs_capability *, struct hs_trec *, uintptr_t, uintptr_t);
extern uintptr_t __real_stmWait(struct hs_capability *, struct hs_tso *, struct hs_trec *, uintptr_t);
extern uintptr_t __real_stmReWait(struct hs_capability *, struct hs_tso *, uintptr_t, uintptr_t);
extern void *__real_StgRun(void *, void *);
extern void __real_gcStableNameTable(void);
extern void __real_markCapabilities(void (*)(void *, uintptr_t *), void *);
extern struct hs_closure *isAlive(struct hs_closure *);
extern uint8_t rtsSupportsBoundThreads(void);
extern const unsigned char stg_atomicallyzh[];
extern struct hs_trec stg_NO_TREC_closure;
extern unsigned char stg_newTVarzh[];
/* Of GHC 9.0 and 9.6, and of 9.10. */
extern const char base_GHCziConcziSync_writeTVar1_info[] __attribute__((weak));
extern const char ghczminternal_GHCziInternalziConcziSync_writeTVar1_info[] __attribute__((weak));
extern void traceUserMsg(struct hs_capability *, char *message) __attribute__((weak));
extern const volatile bool eventlog_enabled __attribute__((weak));

/* The linker has led the callers to the hooks. */
bool ghc_real_find(void)
{
	ghc_real = (struct ghc_real){
		.start = __real_stmStartTransaction,
		.read = __real_stmReadTVar,
		.write = __real_stmWriteTVar,
		.commit = __real_stmCommitTransaction,
		.commit_nested = __real_stmCommitNestedTransaction,
		.validate = __real_stmValidateNestOfTransactions,
		.abort = __real_stmAbortTransaction,
		.wait = __real_stmWait,
		.rewait = __real_stmReWait,
		.run = __real_StgRun,
		.collected = __real_gcStableNameTable,
		.compacting = __real_markCapabilities,
		.is_alive = isAlive,
		.supports_bound_threads = rtsSupportsBoundThreads,
		.atomically = stg_atomicallyzh,
		.no_trec = &stg_NO_TREC_closure,
		.new_tvar = stg_newTVarzh,
		.write_tvar = base_GHCziConcziSync_writeTVar1_info,
		.write_tvar_of_9_10 = ghczminternal_GHCziInternalziConcziSync_writeTVar1_info,
		.user_message = traceUserMsg,
		.eventlog_is_on = &eventlog_enabled,
	};
	return true;
}
