#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the STM in Rust. bindgen makes stmlog_sys.rs of the headers. Their inline functions have bodies, which Rust
# cannot use; so -DSTMLOG_INLINE=extern declares them, and the library exports a function of the same name.
#
# usage: sh examples/rust/build.sh BUILD DIRECTORY
#   BUILD       has libstmlog.so
#   DIRECTORY   gets the program, small

set -eu
build=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")
cd "$(dirname "$0")/../.."

bindgen include/stmlog/runtime.h -o "$to/stmlog_sys.rs" --no-layout-tests --no-prepend-enum-name \
	--allowlist-function '(stmlog|tb)_.*' --blocklist-function '.*_(on|slow)' --allowlist-var '(STMLOG|TB)_.*' -- \
	-Iinclude -DSTMLOG_INLINE=extern
rustc --edition=2021 --crate-name=stmlog_sys --crate-type=rlib --cap-lints=allow --out-dir="$to" "$to/stmlog_sys.rs"
ln -sf "$build/libstmlog.so" "$to/libstmlog.so.0" # as the loader looks for it
rustc --edition=2021 -O -g -D warnings -L "$to" --extern stmlog_sys -L "native=$build" -l stmlog \
	-C "link-arg=-Wl,-rpath,$to" -o "$to/small" examples/rust/main.rs
