// SPDX-License-Identifier: MIT
//! A small STM that reports to stmlog: a global clock, and writes that are buffered until the commit. With each version
//! of a word goes the origin of the write that has made it. So an attempt that fails names the transaction because of
//! which it fails, though that one is over.

use std::ptr::{eq, null};
use std::sync::Mutex;
use stmlog_sys as sys;

/// The newest version. Held by a transaction while it commits.
static CLOCK: Mutex<u64> = Mutex::new(0);

/// A line of the program: a static variable, whose address the library records.
pub struct Place(sys::tb_place);
unsafe impl Sync for Place {}

impl Place {
    /// Both strings end with a NUL byte.
    pub const fn new(function: &'static str, file: &'static str, line: u32) -> Place {
        Place(sys::tb_place { function: function.as_ptr() as *const _, file: file.as_ptr() as *const _, line })
    }
    fn site(&'static self) -> sys::tb_site {
        unsafe { sys::tb_place_site(&self.0) }
    }
}

/// The line on which it stands, in a function of this name.
#[macro_export]
macro_rules! here {
    ($function:literal) => {{
        static PLACE: $crate::stm::Place =
            $crate::stm::Place::new(concat!($function, "\0"), concat!(file!(), "\0"), line!());
        &PLACE
    }};
}

#[derive(Clone, Copy)]
struct Version {
    value: u64,
    number: u64,
    writer: u64, // origin of the write that has made it; 0: not known
}

/// A word that transactions share.
pub struct Word(Mutex<Version>);

impl Word {
    pub const fn new(value: u64) -> Word {
        Word(Mutex::new(Version { value, number: 0, writer: 0 }))
    }
}

/// Why an attempt fails.
pub struct Loss(sys::stmlog_loss);

/// An attempt of a transaction.
pub struct Attempt<'a> {
    log: *mut sys::stmlog_thread, // null while no profiler is open
    snapshot: u64,
    reads: Vec<(&'a Word, u64)>, // with the origin of the read
    writes: Vec<(&'a Word, Version)>,
}

impl<'a> Attempt<'a> {
    fn origin(&self, place: &'static Place) -> u64 {
        unsafe { sys::stmlog_origin(self.log, place.site()) }
    }

    /// Returns the word's version, unless it is newer than the snapshot.
    fn version(&self, word: &Word, own: u64) -> Result<Version, Loss> {
        let version = *word.0.lock().unwrap();
        if version.number <= self.snapshot {
            return Ok(version);
        }
        let cause = "CHANGED\0".as_ptr() as *const _;
        let mut loss = unsafe { sys::stmlog_loss_of(sys::STMLOG_SELF_ABORT, sys::STMLOG_WRITE_READ, cause) };
        loss.own = own;
        loss.other = version.writer;
        loss.object = word as *const Word as usize as _;
        Err(Loss(loss))
    }

    pub fn read(&mut self, word: &'a Word, place: &'static Place) -> Result<u64, Loss> {
        if let Some((_, write)) = self.writes.iter().find(|write| eq(write.0, word)) {
            return Ok(write.value);
        }
        let origin = self.origin(place);
        self.reads.push((word, origin));
        Ok(self.version(word, origin)?.value)
    }

    pub fn write(&mut self, word: &'a Word, value: u64, place: &'static Place) {
        let write = Version { value, number: 0, writer: self.origin(place) };
        self.writes.retain(|write| !eq(write.0, word));
        self.writes.push((word, write));
    }

    fn commit(&self) -> Result<(), Loss> {
        let mut clock = CLOCK.lock().unwrap();
        for (word, origin) in &self.reads {
            self.version(word, *origin)?;
        }
        for (word, write) in &self.writes {
            *word.0.lock().unwrap() = Version { number: *clock + 1, ..*write };
        }
        *clock += 1;
        Ok(())
    }
}

/// A thread that runs transactions.
pub struct Thread {
    log: *mut sys::stmlog_thread,
    pub commits: u64,
    pub aborts: u64,
}

impl Thread {
    pub fn new() -> Thread {
        Thread { log: unsafe { sys::stmlog_thread_open(null()) }, commits: 0, aborts: 0 }
    }

    /// Runs the transaction until an attempt commits.
    pub fn run<'a>(&mut self, place: &'static Place, mut body: impl FnMut(&mut Attempt<'a>) -> Result<(), Loss>) {
        unsafe { sys::stmlog_push(self.log, place.site()) };
        unsafe { sys::stmlog_start(self.log) };
        while let Err(Loss(loss)) = self.attempt(&mut body) {
            unsafe { sys::stmlog_abort(self.log, &loss) };
            unsafe { sys::stmlog_retry(self.log) };
            self.aborts += 1;
        }
        unsafe { sys::stmlog_commit(self.log) };
        unsafe { sys::stmlog_pop(self.log) };
        self.commits += 1;
    }

    fn attempt<'a>(&self, body: &mut impl FnMut(&mut Attempt<'a>) -> Result<(), Loss>) -> Result<(), Loss> {
        let snapshot = *CLOCK.lock().unwrap();
        let mut attempt = Attempt { log: self.log, snapshot, reads: Vec::new(), writes: Vec::new() };
        body(&mut attempt)?;
        attempt.commit()
    }
}
