-- Transactions that call functions. For the marks see Plain.hs.
module Helpers (programs) where

import Control.Concurrent.STM
import Control.Monad

programs :: [(String, [TVar Int] -> STM ())]
programs =
  [("outOfLine", outOfLine), ("inlined", inlined), ("wheres", wheres), ("local", local), ("loops", loops), ("higher", higher)]

{-# NOINLINE bump #-}
bump :: TVar Int -> Int -> STM ()
bump v n = do
  x <- readTVar v -- R1 R2
  writeTVar v (x + n) -- W1 W2

outOfLine :: [TVar Int] -> STM ()
outOfLine [a, b, c] = do
  x <- readTVar a -- R0
  bump b x -- r1 w1
  bump c (x + 1) -- r2 w2
  writeTVar a (x + 2) -- W0

{-# INLINE push #-}
push :: TVar Int -> Int -> STM ()
push v n = do
  x <- readTVar v -- R1 R2
  writeTVar v (x * n) -- W1 W2

inlined :: [TVar Int] -> STM ()
inlined [a, b, c] = do
  x <- readTVar a -- R0
  push b x -- r1 w1
  push c 3 -- r2 w2
  writeTVar a 9 -- W0

wheres :: [TVar Int] -> STM ()
wheres [a, b, c] = do
  writeTVar a 1 -- W0
  step 4 -- r1 w1
  writeTVar c 2 -- W2
  where
    step n = do
      x <- readTVar b -- R1
      writeTVar b (x + n) -- W1

local :: [TVar Int] -> STM ()
local [a, b, c] = do
  let add v = do
        x <- readTVar v -- R0 R1
        writeTVar v (x + 1) -- W0 W1
  add a -- r0 w0
  add b -- r1 w1
  writeTVar c 3 -- W2

loops :: [TVar Int] -> STM ()
loops [] = retry
loops vs@(a : _) = do
  forM_ (drop 1 vs) $ \v -> do
    x <- readTVar v -- R1 R2
    writeTVar v (x + 1) -- W1 W2
  x <- readTVar a -- R0
  writeTVar a (x - 1) -- W0

{-# NOINLINE twice #-}
twice :: (TVar Int -> STM ()) -> TVar Int -> STM ()
twice f v = do
  f v -- r0 w0
  f v

higher :: [TVar Int] -> STM ()
higher [a, b, _] = do
  twice (\v -> modifyTVar v (+ 1)) a -- R0 W0
  x <- readTVar b -- R1
  writeTVar b (x + 5) -- W1
