{-# LANGUAGE CPP #-}
-- SPDX-License-Identifier: MIT
--
-- The threads of a small program with transactions, which run for some seconds, and with -DSTAMPS the program's own
-- time stamps. At the end "commits=N" is on stdout, and with -DSTAMPS also lost_ns, threads_ns and attempts.
module Crew (Member, number, choose, transact, park, crewRun) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (finally)
import Control.Monad
import Data.IORef
import Data.Word
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment
#ifdef STAMPS
import GHC.Conc (unsafeIOToSTM)
#endif

data Member = Member
  { number :: !Int
  , randoms :: !(IORef Word64)
  , commits :: !(IORef Int)
  , attempts :: !(IORef Int)
  , began :: !(IORef Word64) -- when the last attempt began; 0: it has been counted, or there was none
  , lost :: !(IORef Word64)
  , isClosed :: !(IORef Bool)
  }

-- A number below the limit.
choose :: Member -> Int -> IO Int
choose me limit = do
  x <- readIORef (randoms me)
  let y = x * 6364136223846793005 + 1442695040888963407
  writeIORef (randoms me) $! y
  return $! fromIntegral (y `div` 8589934592) `mod` limit

-- transact: a transaction. An attempt before the last one is lost, from its first statement to its last one, if that is
-- `park`, or to the first one of the next attempt. park: waits until something has changed.
transact :: Member -> STM a -> IO a
park :: Member -> STM a
#ifdef STAMPS
transact me body = do
  result <- atomically (unsafeIOToSTM stampFirst >> body)
  writeIORef (began me) 0
  modifyIORef' (commits me) (+ 1)
  return result
  where
    stampFirst = do
      now <- getMonotonicTimeNSec
      stampLost me now
      modifyIORef' (attempts me) (+ 1)
      writeIORef (began me) $! now

stampLost :: Member -> Word64 -> IO ()
stampLost me now = do
  before <- readIORef (began me)
  when (before /= 0) $ modifyIORef' (lost me) (+ (now - before))
  writeIORef (began me) 0

park me = unsafeIOToSTM (getMonotonicTimeNSec >>= stampLost me) >> retry
#else
transact me body = do
  result <- atomically body
  modifyIORef' (commits me) (+ 1)
  return result

park _ = retry
#endif
{-# INLINE transact #-}
{-# INLINE park #-}

newMember :: IORef Bool -> Int -> IO Member
newMember closed i =
  Member i <$> newIORef (fromIntegral i * 7919 + 1) <*> newIORef 0 <*> newIORef 0 <*> newIORef 0 <*> newIORef 0
    <*> pure closed

-- Does its work as long as it may.
repeatWork :: (Member -> IO ()) -> Member -> IO ()
repeatWork work me = do
  closed <- readIORef (isClosed me)
  unless closed (work me >> repeatWork work me)

-- How many threads a program has, which has `usual` otherwise: with -DCROWDED so many that each of two processors has
-- four.
crewThreads :: Int -> Int
#ifdef CROWDED
crewThreads usual = max usual 8
#else
crewThreads usual = usual
#endif

-- Runs the threads for the seconds that the first argument says, or one. Those that are parked then are ended.
crewRun :: Int -> (Member -> IO ()) -> IO ()
crewRun usual work = do
  arguments <- getArgs
  let seconds = case arguments of
        (argument : _) -> read argument
        [] -> 1 :: Double
  closed <- newIORef False
  members <- mapM (newMember closed) [0 .. crewThreads usual - 1]
  start <- getMonotonicTimeNSec
  ends <- forM members $ \me -> do
    end <- newEmptyMVar
    thread <- forkOn (number me) (repeatWork work me `finally` putMVar end ())
    return (thread, end)
  threadDelay (round (seconds * 1e6))
  writeIORef closed True
  threadDelay 30000
  forM_ ends $ \(thread, end) -> killThread thread >> takeMVar end
  over <- getMonotonicTimeNSec
  printSums members (over - start)

-- Of the times of two processors, on which all threads run.
printSums :: [Member] -> Word64 -> IO ()
printSums members wall = do
  done <- sum <$> mapM (readIORef . commits) members
#ifdef STAMPS
  failed <- sum <$> mapM (readIORef . lost) members
  tried <- sum <$> mapM (readIORef . attempts) members
  putStrLn $
    "lost_ns=" ++ show failed ++ " threads_ns=" ++ show (wall * 2) ++ " commits=" ++ show done
      ++ " attempts=" ++ show tried ++ " waited_ns=0 taken_ns=0"
#else
  when (wall > 0) $ putStrLn ("commits=" ++ show done)
#endif
