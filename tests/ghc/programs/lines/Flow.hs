-- Transactions with alternatives. For the marks see Plain.hs.
module Flow (programs) where

import Control.Concurrent.STM
import Control.Monad

programs :: [(String, [TVar Int] -> STM ())]
programs = [("cases", cases), ("ifs", ifs), ("orElses", orElses), ("guarded", guarded)]

cases :: [TVar Int] -> STM ()
cases [a, b, c] = do
  x <- readTVar a -- R0
  case x of
    5 -> writeTVar b 1
    6 -> do
      writeTVar b 2
      writeTVar c 3
    _ -> do
      y <- readTVar b -- R1
      writeTVar b (x + y) -- W1
      writeTVar c (x - y) -- W2
  writeTVar a 4 -- W0

ifs :: [TVar Int] -> STM ()
ifs [a, b, c] = do
  x <- readTVar a -- R0
  if x == 17
    then writeTVar b 2
    else writeTVar b 3 -- W1
  when (x < 1000) $
    writeTVar c x -- W2
  unless (x == 1) $ do
    writeTVar a (x + 1) -- W0

orElses :: [TVar Int] -> STM ()
orElses [a, b, c] = do
  takeAbove 50 `orElse` writeTVar b 6 -- W1 r0
  x <- readTVar c -- R2
  check (x < 1000)
  writeTVar c (x + 1) -- W2
  where
    takeAbove n = do
      x <- readTVar a -- R0
      when (x < n) retry
      writeTVar a (x - n)

guarded :: [TVar Int] -> STM ()
guarded [a, b, c] = readTVar a >>= go -- R0
  where
    go x
      | x > 99 = writeTVar b 1
      | otherwise = do
        y <- readTVar b -- R1
        writeTVar b (y + x) -- W1
        writeTVar c y -- W2
