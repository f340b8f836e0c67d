{-# LANGUAGE CPP #-}
-- SPDX-License-Identifier: MIT
--
-- A waiting room: each of many patients waits until it is called. A doctor calls one after the other.
module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Crew
#ifdef FIXED
import Data.Array
#endif

patients :: Int
patients = 60

#ifdef FIXED
-- A door for each patient.
newtype Room = Room (Array Int (TVar Bool))

newRoom :: IO Room
newRoom = Room . listArray (0, patients) <$> replicateM (patients + 1) (newTVarIO False)

call :: Room -> Int -> STM ()
call (Room doors) who = writeTVar (doors ! who) True

waitTurn :: Room -> Member -> STM ()
waitTurn (Room doors) me = do
  isCalled <- readTVar (doors ! number me)
  unless isCalled (park me)
  writeTVar (doors ! number me) False
#else
-- The numbers that have been called and have not come yet.
newtype Room = Room (TVar [Int])

newRoom :: IO Room
newRoom = Room <$> newTVarIO []

call :: Room -> Int -> STM ()
call (Room called) who = do
  others <- readTVar called
  unless (who `elem` others) $ writeTVar called $! who : others

waitTurn :: Room -> Member -> STM ()
waitTurn (Room called) me = do
  numbers <- readTVar called
  unless (number me `elem` numbers) (park me)
  writeTVar called $! filter (/= number me) numbers
#endif
{-# NOINLINE call #-}
{-# NOINLINE waitTurn #-}

-- What the doctor thinks about before the next call.
think :: Int -> Int
think from = foldl (\sum' i -> (sum' * 31 + i) `mod` 1000003) from [1 .. 8000]
{-# NOINLINE think #-}

doctor :: Room -> Member -> IO ()
doctor room me = do
  thought <- think <$> choose me 1000
  who <- (\i -> 1 + (i + thought) `mod` patients) <$> choose me patients
  transact me (call room who)

main :: IO ()
main = do
  room <- newRoom
  crewRun (patients + 1) (\me -> if number me == 0 then doctor room me else transact me (waitTurn room me))
