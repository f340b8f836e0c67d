{-# LANGUAGE CPP #-}
-- SPDX-License-Identifier: MIT
--
-- Parcels go from a sender to a carrier through a queue of two lists, which has a limit. One thread packs, the other
-- one delivers.
module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Crew

data Queue = Queue
  { front :: TVar [Int]
  , back :: TVar [Int]
  , count :: TVar Int -- how many parcels are in it; with the fix, how many more may be put
  }

limit :: Int
limit = 4096

newQueue :: IO Queue
newQueue = Queue <$> newTVarIO [] <*> newTVarIO [] <*> newTVarIO start
  where
#ifdef FIXED
    start = limit
#else
    start = 0
#endif

-- What it costs to stamp a parcel.
postage :: Int -> Int
postage parcel = foldl (\sum' i -> (sum' * 31 + i) `mod` 1000003) parcel [1 .. 300]
{-# NOINLINE postage #-}

send :: Member -> Queue -> Int -> STM ()
#ifdef FIXED
send me queue parcel = do
  left <- readTVar (count queue)
  when (left == 0) (park me)
  writeTVar (count queue) $! left - 1
  push queue parcel
#else
send me queue parcel = do
  len <- readTVar (count queue)
  when (len >= limit) (park me)
  writeTVar (count queue) $! len + 1
  push queue parcel
#endif
{-# NOINLINE send #-}

push :: Queue -> Int -> STM ()
push queue parcel = do
  parcels <- readTVar (back queue)
  let stamped = postage parcel
  stamped `seq` writeTVar (back queue) (stamped : parcels)

-- The next parcel. When the front is empty, the back becomes the front.
deliver :: Member -> Queue -> STM Int
deliver me queue = do
#ifndef FIXED
  len <- readTVar (count queue)
  when (len == 0) (park me)
  writeTVar (count queue) $! len - 1
#endif
  parcels <- readTVar (front queue)
  case parcels of
    parcel : rest -> do
      writeTVar (front queue) rest
      return parcel
    [] -> turnRound me queue
{-# NOINLINE deliver #-}

turnRound :: Member -> Queue -> STM Int
turnRound me queue = do
  parcels <- readTVar (back queue)
  case reverse parcels of
    [] -> park me
    parcel : rest -> do
      writeTVar (back queue) []
      writeTVar (front queue) rest
#ifdef FIXED
      modifyTVar' (count queue) (+ length parcels)
#endif
      return parcel

work :: Queue -> Member -> IO ()
work queue me
  | number me == 0 = choose me 1000 >>= transact me . send me queue
  | otherwise = do
      parcel <- transact me (deliver me queue)
      postage parcel `seq` return ()

main :: IO ()
main = do
  queue <- newQueue
  crewRun 2 (work queue)
