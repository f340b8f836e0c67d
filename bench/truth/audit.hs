{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- A ledger whose audits starve. A clerk transfers between accounts, with a short break now and then; an auditor transfers
-- as well, and in one of 10,000 turns makes an audit, which reads and writes each account. A transfer of the clerk ends
-- the attempt of an audit, which succeeds in a break only. So few transactions have nearly all of the loss, and fail a
-- hundred times. Plain `atomically`; it knows of no profiler.
--
-- Each thread keeps time stamps: an attempt begins with the first statement of the transaction, and a failed one ends
-- when the next one begins. Time off the processor is left out: as in bench/support/stamped/stamps.c, the kernel is
-- asked for it behind 50 us without a stamp. It prints the sums as bench/support/stamps.h does. Of the rows it has
-- "aborted" only.
-- Invariant: all balances add up to 0.
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.Bits
import Data.List
import Data.Maybe
import Data.Word
import Foreign
import GHC.Arr (Array, elems, listArray, unsafeAt)
import GHC.Clock
import GHC.Conc (unsafeIOToSTM)
import System.Environment
import System.Exit

-- ---- stamps: the running attempt's beginning, and sums ----

type Stamps = Ptr Word64

running, aborted, attempts, commits, latest, offBefore, fields :: Int
running = 0
aborted = 1
attempts = 2
commits = 3
latest = 4 -- the last stamp
offBefore = 5 -- time off the processor up to the last reading
fields = 6

add :: Stamps -> Int -> Word64 -> IO ()
add stamps field more = peekElemOff stamps field >>= \sum -> pokeElemOff stamps field $! sum + more

foreign import ccall unsafe "clock_gettime" readClock :: Int32 -> Ptr Word64 -> IO Int32

-- Since any time in the past.
readOff :: IO Word64
readOff = allocaArray 2 $ \time -> do
  _ <- readClock 3 time -- CLOCK_THREAD_CPUTIME_ID
  seconds <- peekElemOff time 0
  rest <- peekElemOff time 1
  now <- getMonotonicTimeNSec
  pure (now - seconds * 1000000000 - rest)

-- Time off the processor since the last stamp.
offSinceStamp :: Stamps -> Word64 -> IO Word64
offSinceStamp stamps now = do
  last' <- peekElemOff stamps latest
  pokeElemOff stamps latest now
  if now - last' < 50000
    then pure 0
    else do
      off <- readOff
      before <- peekElemOff stamps offBefore
      pokeElemOff stamps offBefore off
      pure (off - min off before)

stampFirst :: Stamps -> STM ()
stampFirst stamps = unsafeIOToSTM $ do
  now <- getMonotonicTimeNSec
  before <- peekElemOff stamps running
  off <- offSinceStamp stamps now
  when (before /= 0) $ add stamps aborted (now - before - min off (now - before))
  add stamps attempts 1
  pokeElemOff stamps running now

stampAfter :: Stamps -> IO ()
stampAfter stamps = do
  add stamps commits 1
  pokeElemOff stamps running 0

-- ---- transactions ----

transfer :: Stamps -> TVar Int -> TVar Int -> Int -> IO ()
transfer stamps from to amount = do
  atomically $ do
    stampFirst stamps
    x <- readTVar from
    writeTVar from $! x - amount
    y <- readTVar to
    writeTVar to $! y + amount
  stampAfter stamps
{-# NOINLINE transfer #-}

-- Carries what each account has too much to the next one.
audit :: Stamps -> [TVar Int] -> IO ()
audit stamps accounts = do
  atomically $ do
    stampFirst stamps
    rest <- foldM (\ !carried account -> (readTVar account >>= \x -> settle account (x + carried))) 0 accounts
    modifyTVar' (head accounts) (+ rest)
  stampAfter stamps
  where
    settle account x = writeTVar account (x `rem` 1000) >> pure (x `quot` 1000 * 1000)
{-# NOINLINE audit #-}

-- ---- the two threads ----

next :: Word64 -> Word64
next x = let a = x `xor` (x `shiftL` 13); b = a `xor` (a `shiftR` 7) in b `xor` (b `shiftL` 17)

type Accounts = Array Int (TVar Int)

randomTransfer :: Stamps -> Accounts -> Int -> Word64 -> IO ()
randomTransfer stamps accounts len seed =
  transfer stamps (at seed) (at (seed `shiftR` 20)) (fromIntegral (seed `shiftR` 40 `rem` 100))
  where
    at number = unsafeAt accounts (fromIntegral (number `rem` fromIntegral len))

turnsUntilAudit, turnsUntilBreak, breakNs :: Word64
turnsUntilAudit = 10000
turnsUntilBreak = 4000
breakNs = 300000

-- Calls the function for each turn, with a random number, until the time has come.
turns :: Word64 -> Word64 -> (Word64 -> IO ()) -> IO ()
turns end start act = go start
  where
    go !seed = do
      now <- getMonotonicTimeNSec
      when (now < end) $ act seed >> go (next seed)

waitUntil :: Word64 -> IO ()
waitUntil time = getMonotonicTimeNSec >>= \now -> when (now < time) (waitUntil time)

clerk, auditor :: Accounts -> Int -> Word64 -> Stamps -> IO ()
clerk accounts len end stamps = turns end 88172645463325252 $ \seed -> do
  randomTransfer stamps accounts len seed
  when (seed `shiftR` 50 `rem` turnsUntilBreak == 0) $ getMonotonicTimeNSec >>= waitUntil . (+ breakNs)
auditor accounts len end stamps = turns end 88172645463333171 $ \seed ->
  if seed `shiftR` 50 `rem` turnsUntilAudit == 0
    then audit stamps (elems accounts)
    else randomTransfer stamps accounts len seed

option :: [String] -> String -> Double -> Double
option arguments name value = maybe value read (listToMaybe (mapMaybe (stripPrefix ("--" ++ name ++ "=")) arguments))

main :: IO ()
main = do
  arguments <- getArgs
  let len = round (option arguments "accounts" 300) :: Int
  accounts <- listArray (0, len - 1) <$> replicateM len (newTVarIO 0)
  begin <- getMonotonicTimeNSec
  let end = begin + round (option arguments "seconds" 1 * 1e9)
  done <- forM [(0, clerk), (1, auditor)] $ \(number, run) -> do
    over <- newEmptyMVar
    stamps <- mallocArray fields
    forM_ [0 .. fields - 1] $ \field -> pokeElemOff stamps field 0
    _ <- forkOn number $ run accounts len end stamps >> putMVar over stamps
    pure over
  all' <- mapM takeMVar done
  let total field = sum <$> mapM (`peekElemOff` field) all'
      say name field = total field >>= \value -> putStrLn (name ++ " " ++ show value)
  balance <- sum <$> mapM readTVarIO (elems accounts)
  say "truth_aborted_ns" aborted
  say "truth_attempts" attempts
  say "truth_commits" commits
  putStrLn "truth_cancels 0"
  putStrLn ("checksum " ++ (if balance == 0 then "ok" else "wrong"))
  when (balance /= 0) exitFailure
