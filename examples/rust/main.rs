// SPDX-License-Identifier: MIT
//! Runs the STM: 6,000 transactions commit, and 2,000 attempts abort, in each run. A thread audits an account, and its
//! attempt cannot commit, because another thread has paid into the account since the attempt has read it.

mod stm;

use std::mem::zeroed;
use std::sync::mpsc::sync_channel;
use stm::{Thread, Word};
use stmlog_sys as sys;

const ROUNDS: u64 = 2000;

static ACCOUNT: Word = Word::new(0);
static AUDITED: Word = Word::new(0);

fn pay(thread: &mut Thread) {
    thread.run(here!("pay"), |attempt| {
        let balance = attempt.read(&ACCOUNT, here!("pay"))?;
        attempt.write(&ACCOUNT, balance + 1, here!("pay"));
        Ok(())
    })
}

/// `meet` is called between the first attempt's read and its commit.
fn audit(thread: &mut Thread, mut meet: impl FnMut()) {
    let mut is_first = true;
    thread.run(here!("audit"), |attempt| {
        let balance = attempt.read(&ACCOUNT, here!("audit"))?;
        if is_first {
            meet();
        }
        is_first = false;
        attempt.write(&AUDITED, balance, here!("audit"));
        Ok(())
    })
}

fn main() {
    let setup = sys::stmlog_setup { runtime: "small.rs\0".as_ptr() as *const _, ..unsafe { zeroed() } };
    assert_eq!(unsafe { sys::stmlog_open_abi(&setup, std::mem::size_of_val(&setup) as _, sys::STMLOG_ABI) }, 0);
    let (ask, asked) = sync_channel::<()>(0);
    let (answer, answered) = sync_channel::<()>(0);
    let payer = std::thread::spawn(move || {
        let mut thread = Thread::new();
        for () in asked {
            pay(&mut thread);
            answer.send(()).unwrap();
        }
        (thread.commits, thread.aborts)
    });
    let mut auditor = Thread::new();
    for _ in 0..ROUNDS {
        audit(&mut auditor, || {
            ask.send(()).unwrap();
            answered.recv().unwrap();
        });
        audit(&mut auditor, || ());
    }
    drop(ask);
    let (commits, aborts) = payer.join().unwrap();
    println!("{} commits, {} aborts", auditor.commits + commits, auditor.aborts + aborts);
}
