/* SPDX-License-Identifier: MIT
 * Code as of a program that GHC has made, with symbols and debug information as GHC writes them, for tests on systems
 * without GHC. It is never run. haskell_code.h names the addresses in haskell_code[]. */

/* ---- code: four instructions in each piece ---- */

	.text
	.p2align 3
	.file 1 "src/Bank.hs"
	.file 2 "Main.hs"
	.file 3 "unlisted.s"

/* PIECE LABEL [LINE-DIRECTIVE]: one piece, with a label at its start and at its end. */
	.macro piece label, file=0, line=0, column=0
	.if \file
	.loc \file \line \column
	.endif
\label\():
	nop
	nop
	nop
	nop
\label\()_end:
	.endm

/* EXPORTED SYMBOL PIECE...: a symbol with the size of the piece behind it. */
	.macro exported symbol, label, file=0, line=0, column=0
	.globl \symbol
	.type \symbol, %object
\symbol\():
	piece \label, \file, \line, \column
	.size \symbol, . - \symbol
	.endm

/* What all code of GHC uses. */
	.globl stg_upd_frame_info
	.type stg_upd_frame_info, %object
stg_upd_frame_info:
	nop
	nop
	.size stg_upd_frame_info, . - stg_upd_frame_info

.Lbank_low:
	piece .Ltransfer_behind_withdraw
	exported StoreziBank_withdraw_info, .Lwithdraw, 1, 17, 1
	exported StoreziBank_zdwtransfer_info, .Ltransfer, 1, 10, 1
	piece .Lwithdraw_behind_read
	piece .Lwithdraw_deeper
	piece .Lwithdraw_no_note
	piece .Ltransfer_siblings
	piece .Lbetween
.Lbank_high:

.Lmain_low:
	piece .Lserve, 2, 12, 1
	piece .Lserve_local
	piece .Lserve_inlines
	piece .Lserve_argument
	piece .Lserve_inlines_nameless
	piece .Lserve_inlines_at_once
	exported Main_main3_info, .Lmain3
	piece .Lmain3_block
	piece .Lpart
	piece .Lpart_go, 2, 15, 5
	piece .Lpart_go_block
	piece .Lpart_go_shared
	piece .Lunnamed
.Lmain_high:

/* Symbols alone. */
	exported base_GHCziBase_zpzp_info, .Lappend
	piece .Llocal
	exported base_GHCziBase_zlzg_info, .Lbehind_local
	exported s3ml_info, .Lnumbered
	exported _Main_go_s1Xy_info, .Lgo
	exported haskell_code_in_c, .Lplain
haskell_code_unsized:
	piece .Lunsized

/* A line, but no function. */
.Llisted_low:
	exported haskell_code_listed, .Llisted, 3, 5
.Llisted_high:
	.loc 3 6
	nop

/* ---- debug information ---- */

	.section .debug_line,"",%progbits
.Lline:

	.section .debug_abbrev,"",%progbits
.Labbrev:
/* 1: unit: name, directory, language, first and last address, line table */
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x03, 0x08, 0x1b, 0x08, 0x13, 0x05, 0x11, 0x01, 0x12, 0x01, 0x10, 0x06, 0, 0
/* 2: function: name, symbol, first and last address. 3: and the function around */
	.uleb128 2, 0x2e
	.byte 1
	.uleb128 0x03, 0x08, 0x2007, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0
	.uleb128 3, 0x2e
	.byte 1
	.uleb128 0x03, 0x08, 0x2007, 0x08, 0x11, 0x01, 0x12, 0x01, 0x2b20, 0x10, 0, 0
/* 6, 7: the same as GHC 9.6 writes them; ranges begin a byte before the code */
	.uleb128 6, 0x2e
	.byte 1
	.uleb128 0x03, 0x08, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0
	.uleb128 7, 0x2e
	.byte 1
	.uleb128 0x03, 0x08, 0x6e, 0x08, 0x11, 0x01, 0x12, 0x01, 0x2b20, 0x10, 0, 0
/* 4: block: name, first and last address */
	.uleb128 4, 0x0b
	.byte 1
	.uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0
/* 5: note: file, line, column, last line, last column */
	.uleb128 5, 0x5b00
	.byte 0
	.uleb128 0x2b00, 0x08, 0x2b01, 0x06, 0x2b02, 0x05, 0x2b03, 0x06, 0x2b04, 0x05, 0, 0
	.uleb128 0

	.macro unit name, language, piece, directory="/home/haskell/"
	.4byte .L\piece\()_unit_end - .L\piece\()_unit
.L\piece\()_unit:
	.2byte 3
	.4byte .Labbrev
	.byte 8
	.uleb128 1
	.asciz "\name"
	.asciz "\directory"
	.2byte \language
	.8byte .L\piece\()_low
	.8byte .L\piece\()_high
	.4byte .Lline
	.endm
	.macro unit_end piece
	.uleb128 0
.L\piece\()_unit_end:
	.endm

	.macro function name, symbol, piece
	.uleb128 2
	.asciz "\name"
	.asciz "\symbol"
	.8byte .L\piece
	.8byte .L\piece\()_end
	.endm
	.macro newer_function name, symbol, piece
	.uleb128 6
	.asciz "\name"
	.asciz "\symbol"
	.8byte .L\piece - 1
	.8byte .L\piece\()_end
	.endm
	.macro newer_part name, symbol, piece, around
	.uleb128 7
	.asciz "\name"
	.asciz "\symbol"
	.8byte .L\piece - 1
	.8byte .L\piece\()_end
	.4byte \around
	.endm
	.macro block piece
	.uleb128 4
	.asciz "\piece"
	.8byte .L\piece
	.8byte .L\piece\()_end
	.endm
	.macro note file, line, column, last, last_column
	.uleb128 5
	.asciz "\file"
	.4byte \line
	.2byte \column
	.4byte \last
	.2byte \last_column
	.endm
	.macro end
	.uleb128 0
	.endm

	.section .debug_info,"",%progbits
.Lbank_info:
	unit "src/Bank.hs", 0x18, bank, "/home/bank/"
	function withdraw, StoreziBank_withdraw_info, withdraw
	block withdraw_behind_read
	note "src/Bank.hs", 17, 1, 21, 28
	note "src/Bank.hs", 20, 3, 20, 39
	block withdraw_deeper
	note "src/Bank.hs", 21, 3, 21, 28
	block withdraw_no_note
	end
	end
	end
	end
	function transfer, StoreziBank_zdwtransfer_info, transfer
	block transfer_behind_withdraw
	note "src/Bank.hs", 10, 1, 13, 25
	note "src/Bank.hs", 12, 12, 12, 25
	end
	block transfer_siblings
	note "src/Bank.hs", 11, 3, 11, 9
	note "src/Bank.hs", 12, 3, 13, 25
	note "src/Bank.hs", 13, 13, 13, 25
	end
	end
	unit_end bank

.Lmain_info:
	unit "./Main.hs", 0x18, main
.Lserve_entry:
	newer_function serve, r3jd_info, serve
	block serve_local
	note "./Main.hs", 12, 1, 20, 30
	note "./Main.hs", 15, 5, 20, 30
	note "./Main.hs", 19, 9, 19, 20
	end
	block serve_inlines
	note "./Main.hs", 12, 1, 20, 30
	note "./Main.hs", 18, 9, 18, 40
	note "src/Bank.hs", 17, 1, 21, 28
	note "src/Bank.hs", 19, 3, 19, 40
	end
	block serve_argument
	note "./Main.hs", 17, 21, 20, 27
	note "src/Bank.hs", 17, 1, 21, 28
	note "src/Bank.hs", 19, 3, 19, 40
	note "./Main.hs", 20, 9, 20, 20
	end
	block serve_inlines_nameless
	note "./Main.hs", 18, 9, 18, 40
	note "src/Bank.hs", 33, 1, 36, 50
	note "src/Bank.hs", 35, 3, 35, 20
	note "./Main.hs", 40, 1, 41, 10
	end
	block serve_inlines_at_once
	note "src/Bank.hs", 12, 12, 12, 25
	end
	end
	newer_function c3qA, Main_main3_info, main3
	block main3_block
	note "./Main.hs", 24, 3, 24, 20
	end
	end
	newer_part c3qB, s3ml_info, part, .Lserve_entry
	end
	newer_part serve.go, s3mn_info, part_go, .Lserve_entry
	block part_go_block
	note "./Main.hs", 12, 1, 20, 30
	note "./Main.hs", 15, 5, 20, 30
	note "./Main.hs", 19, 9, 19, 20
	end
	block part_go_shared
	note "./Main.hs", 12, 25, 12, 29
	end
	end
	newer_function c3qC, s3mm_info, unnamed
	end
	unit_end main

.Llisted_info:
	unit "unlisted.s", 0x8001, listed
	unit_end listed

	.macro arange piece
	.4byte .L\piece\()_arange_end - .L\piece\()_arange
.L\piece\()_arange:
	.2byte 2
	.4byte .L\piece\()_info
	.byte 8, 0
	.4byte 0
	.8byte .L\piece\()_low
	.8byte .L\piece\()_high - .L\piece\()_low
	.8byte 0, 0
.L\piece\()_arange_end:
	.endm

	.section .debug_aranges,"",%progbits
	arange bank
	arange main
	arange listed

/* ---- addresses, in the order of haskell_code.h ---- */

	.section .data.rel.ro,"aw",%progbits
	.globl haskell_code
	.p2align 3
haskell_code:
	.8byte .Lwithdraw, .Lwithdraw_behind_read, .Lwithdraw_deeper, .Lwithdraw_no_note
	.8byte .Ltransfer_behind_withdraw, .Ltransfer_siblings, .Lbetween
	.8byte .Lserve_local, .Lserve_inlines, .Lserve_argument, .Lserve_inlines_nameless, .Lserve_inlines_at_once
	.8byte .Lmain3, .Lmain3_block, .Lpart, .Lpart_go_block, .Lpart_go_shared, .Lunnamed
	.8byte .Lappend, .Llocal, .Lnumbered, .Lgo, .Lplain, .Lunsized, .Llisted
	.type haskell_code, %object
	.size haskell_code, . - haskell_code

	.section .note.GNU-stack,"",%progbits
