#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A CMake project finds the installed library by find_package(stmlog), where the tree was installed and where it has been
# moved, and links it shared and static. What pkg-config tells, CMake's file tells, too. A project may have the tree as a
# part of its own instead.

. "$(dirname "$0")/cli.inc"

command -v cmake >/dev/null || skip "no cmake"
unset CMAKE_PREFIX_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH MAKEFLAGS

# The programs are the example of docs/embedding.md.
mkdir "$tmp/project"
sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d' >"$tmp/project/example.c"

# project ARGUMENTS: a project that calls find_package() with these.
project() {
	cat >"$tmp/project/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.13)
		project(example C)
		find_package(Threads REQUIRED)
		find_package(stmlog $1)
		find_package(stmlog $1)
		message(STATUS "found '\${stmlog_FOUND}' \${stmlog_VERSION}")
		get_target_property(includes stmlog::stmlog INTERFACE_INCLUDE_DIRECTORIES)
		message(STATUS "includes \${includes}")
		add_executable(shared example.c)
		target_link_libraries(shared stmlog::stmlog Threads::Threads)
		add_executable(static example.c)
		target_link_libraries(static stmlog::static)
	END
}

# configures STATUS PREFIX: cmake ends with this status where stmlog is below PREFIX.
configures() {
	rm -rf "$tmp/built"
	run "$1" timeout -k 1 60 cmake -S "$tmp/project" -B "$tmp/built" -DCMAKE_PREFIX_PATH="$2" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
}

# builds PREFIX LIBRARY: both programs are built and run; the shared one loads LIBRARY.
builds() {
	configures 0 "$1"
	says "found '1' $version"
	says "includes $1/include"
	run 0 timeout -k 1 60 cmake --build "$tmp/built"
	for program in shared static; do
		run 0 env STMLOG_OPTIONS=report=none timeout -k 1 60 "$tmp/built/$program"
		same "what $program counted" 200000 "$(cat "$tmp/out")"
	done
	ldd "$tmp/built/shared" >"$tmp/loads"
	grep -qF "$2" "$tmp/loads" || fail "$2 is not loaded: $(cat "$tmp/loads")"
	! ldd "$tmp/built/static" | grep libstmlog || fail "the static program loads the library"
}

version=$(sed -n 's/^.define STMLOG_VERSION "\(.*\)"/\1/p' include/stmlog/setup.h)
make -s install PREFIX="$tmp/usr" >/dev/null
same "the version for pkg-config" "$version" "$(PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig pkg-config --modversion stmlog)"
project "$version REQUIRED"
builds "$tmp/usr" "$tmp/usr/lib/libstmlog.so.0"
claim "find_package() finds the library, shared and static, in pkg-config's version"

mv "$tmp/usr" "$tmp/moved"
builds "$tmp/moved" "$tmp/moved/lib/libstmlog.so.0"
! grep -rF "$tmp/usr" "$tmp/moved/lib/cmake" || fail "a file names the prefix"
claim "it does where the tree has been moved"

make -s install DESTDIR="$tmp/package" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu >/dev/null
builds "$tmp/package/usr" "$tmp/package/usr/lib/x86_64-linux-gnu/libstmlog.so.0"
# As where /lib is a link to /usr/lib.
ln -s usr/lib "$tmp/package/lib"
project "REQUIRED PATHS $tmp/package NO_DEFAULT_PATH"
builds "$tmp/package/usr" "$tmp/package/usr/lib/x86_64-linux-gnu/libstmlog.so.0"
claim "it does in a package, with libraries elsewhere, and through a symbolic link"

project "REQUIRED"
mv "$tmp/moved/lib/libstmlog.a" "$tmp"
configures 1 "$tmp/moved"
grep -q 'libstmlog.a is missing' "$tmp/err" || fail "not told: $(cat "$tmp/err")"
mv "$tmp/libstmlog.a" "$tmp/moved/lib"
project "REQUIRED COMPONENTS agent"
configures 1 "$tmp/moved"
grep -q 'stmlog has no components' "$tmp/err" || fail "not told: $(cat "$tmp/err")"
claim "a file that is missing, and a component, are told"

# A project that has the tree as a part. BRINGS: the commands that bring it.
has_part() {
	mkdir -p "$tmp/a part"
	cp "$tmp/project/example.c" "$tmp/a part"
	cat >"$tmp/a part/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.14)
		project(example C)
		$1
		add_executable(shared example.c)
		target_link_libraries(shared stmlog::stmlog)
		add_executable(static example.c)
		target_link_libraries(static stmlog::static)
	END
	rm -rf "$tmp/a part/built"
	run 0 timeout -k 1 60 cmake -S "$tmp/a part" -B "$tmp/a part/built"
	run 0 timeout -k 1 300 cmake --build "$tmp/a part/built"
	for program in shared static; do
		run 0 env STMLOG_OPTIONS=report=none:out="$tmp/data" "$tmp/a part/built/$program"
		same "what $program counted" 200000 "$(cat "$tmp/out")"
		run 0 "$stmlog" report --json "$tmp/data"
		same "commits of $program" 200000 "$(jsonq "$tmp/out" .totals.commits)"
	done
}
has_part "add_subdirectory($PWD stmlog)"
has_part "include(FetchContent)
FetchContent_Declare(stmlog SOURCE_DIR $PWD)
FetchContent_MakeAvailable(stmlog)"
claim "add_subdirectory() and FetchContent bring the library, shared and static"

# takes ANSWER THIS WANTED [EXACT]: the file of version THIS answers in this way to find_package(stmlog WANTED).
takes() {
	sed "s/@VERSION@/$2/" packaging/cmake/stmlogConfigVersion.cmake.in >"$tmp/stmlogConfigVersion.cmake"
	echo >"$tmp/stmlogConfig.cmake"
	cat >"$tmp/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.13)
		project(versions NONE)
		find_package(stmlog $3 ${4:-} QUIET PATHS $tmp NO_DEFAULT_PATH)
		message(STATUS "found \${stmlog_FOUND}")
	END
	run 0 timeout -k 1 60 cmake -S "$tmp" -B "$tmp/versions"
	rm -rf "$tmp/versions"
	says "found $1"
}
takes 1 0.1.0 0.1
takes 1 0.1.2 0.1.1
takes 0 0.1.0 0.1.1
takes 0 0.2.0 0.1
takes 0 0.12.0 0.1
takes 0 1.0.0 0.1
takes 1 1.2.0 1.0
takes 0 10.0.0 1
takes 1 0.1.0 0.1.0 EXACT
takes 0 0.1.1 0.1.0 EXACT
claim "versions that break programs are not taken"
