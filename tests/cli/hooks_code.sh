#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The object code of a hook while nobody profiles: with STMLOG_OFF there is none, at each level of optimisation;
# otherwise it is one conditional jump. Push, pop and update have further ones, for the shadow stack.

. "$(dirname "$0")/../helpers/shell.inc"

# One function for each hook of the headers, with this hook as its body.
hooks_of() {
	sed -e :more -e '/^STMLOG_INLINE[^)]*$/{ N; s/\n[ \t]*/ /; b more' -e '}' "$1" |
		sed -n 's/^STMLOG_INLINE [a-z0-9_]* \(stmlog_[a-z_]*\)( *struct stmlog_thread \*.*/\1/p;
			s/^STMLOG_INLINE [a-z0-9_]* \(stmlog_[a-z_]*\)( *const struct stmlog_thread \*.*/\1/p'
}
told=$(hooks_of include/stmlog/timeline.h)
hooks="$(hooks_of include/stmlog/runtime.h) $(hooks_of include/stmlog/agent.h) $told"
[ "$(echo "$hooks" | wc -w)" -ge 30 ] || fail "only these hooks were found: $hooks"
arguments() {
	case $1 in
	stmlog_push | stmlog_update | stmlog_origin | stmlog_became_inevitable) echo ', site' ;;
	stmlog_origin_at | stmlog_retry_at) echo ', loss->local' ;;
	stmlog_abort | stmlog_abort_other | stmlog_wait_begin) echo ', loss' ;;
	stmlog_task) echo ', STMLOG_EVENT_TASK_START, 1, NULL' ;;
	stmlog_unmeasured) echo ', 1, 1' ;;
	stmlog_descheduled) echo ', 1, 0' ;;
	stmlog_timed) echo ', (const void *)loss' ;;
	stmlog_commit_at | stmlog_commit_now) echo ', 1' ;;
	stmlog_start_at) echo ', 1, site, loss->local' ;;
	stmlog_start_late) echo ', 1, site, loss->local, 1' ;;
	stmlog_set_weight | stmlog_set_loss_weight | stmlog_count_reads | stmlog_region_end | stmlog_task_* | stmlog_touch_*) echo ', 1' ;;
	stmlog_region_begin | stmlog_counter | stmlog_mark) echo ', "word", 1' ;;
	stmlog_waited) echo ', loss, 1' ;;
	stmlog_waited_unmeasured) echo ', loss, site, 1, 1, 0' ;;
	stmlog_was_blocked) echo ', site, 1, false' ;;
	stmlog_was_woken) echo ', site, site' ;;
	stmlog_is_blocked_for_ever) echo ', site' ;;
	esac
}
{
	printf '#include <stmlog/%s.h>\n' agent timeline
	echo '#define PARAMETERS struct stmlog_thread *thread, const struct stmlog_loss *loss, struct tb_site site'
	for hook in $hooks; do
		echo "void with_$hook(PARAMETERS);"
		echo "void with_$hook(PARAMETERS) { (void)loss; (void)site; (void)$hook(thread$(arguments "$hook")); }"
	done
	echo 'void empty(PARAMETERS); void empty(PARAMETERS) { (void)thread; (void)loss; (void)site; }'
} >"$tmp/hooks.c"

# body FILE FUNCTION: the function's instructions, one a line, without addresses.
body() {
	objdump -d --no-show-raw-insn "$1" | awk -v name="<$2>:" '$2 == name { inside = 1; next } !NF { inside = 0 } inside' |
		sed 's/^[^\t]*\t//; s/ *$//' | grep -v '^nop\|^data16\|^cs nop\|^xchg' || :
}

# At -O0 the inline functions are there, but empty: linking needs no library.
for level in -O0 -O1 -O2; do
	cc $level -std=c11 -Wall -Wextra -Werror -DSTMLOG_OFF -Iinclude -fcf-protection=none -c -o "$tmp/off.o" "$tmp/hooks.c"
	same "what the object refers to at $level with STMLOG_OFF" "" "$(nm -u "$tmp/off.o")"
	[ $level = -O0 ] && continue
	for hook in $hooks; do
		same "$hook at $level with STMLOG_OFF" "$(body "$tmp/off.o" empty)" "$(body "$tmp/off.o" "with_$hook")"
	done
done
[ -n "$(body "$tmp/off.o" empty)" ] || fail "objdump shows no instruction"

cc -O2 -std=c11 -Wall -Wextra -Werror -Iinclude -fcf-protection=none -fno-reorder-blocks-and-partition -c -o "$tmp/on.o" "$tmp/hooks.c"
for hook in $hooks; do
	jumps=1
	case " $(echo $told) " in *" $hook "*) jumps=2 ;; esac # the second one while a timeline runs: whether there is a thread
	case $hook in stmlog_push | stmlog_update | stmlog_aborted_unmeasured) jumps=2 ;; stmlog_pop) jumps=3 ;; esac
	same "conditional jumps of $hook" $jumps "$(body "$tmp/on.o" "with_$hook" | grep -c '^j[^m]')"
	body "$tmp/on.o" "with_$hook" | sed '/^mov\|^sub\|^push\|^lea/d' | head -n 1 | grep -q '^test\|^cmp\|^and' || fail "$hook does more than move its arguments before its branch"
done
