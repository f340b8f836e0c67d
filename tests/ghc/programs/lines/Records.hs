-- Transactions on TVars in records. For the marks see Plain.hs.
module Records (programs) where

import Control.Concurrent.STM
import Control.Monad

programs :: [(String, [TVar Int] -> STM ())]
programs = [("selectors", selectors . pool), ("fields", fields . pool), ("lets", lets . pool), ("nested", nested . pool)]

data Pool = Pool
  { free :: TVar Int,
    used :: TVar Int,
    size :: TVar Int
  }

pool :: [TVar Int] -> Pool
pool [a, b, c] = Pool a b c

{-# NOINLINE selectors #-}
selectors :: Pool -> STM ()
selectors p = do
  x <- readTVar (free p) -- R0
  when (x > 100) retry
  writeTVar (free p) (x - 1) -- W0
  modifyTVar' (used p) (+ 1) -- R1 W1
  n <- readTVar (size p) -- R2
  writeTVar (size p) n -- W2

{-# NOINLINE fields #-}
fields :: Pool -> STM ()
fields Pool {free = a, used = b, size = c} = do
  x <- readTVar a -- R0
  y <- readTVar b -- R1
  unless (x + y == 7) $ do
    writeTVar c (x + y) -- W2
    writeTVar a y -- W0
  writeTVar b (x + 3) -- W1

{-# NOINLINE lets #-}
lets :: Pool -> STM ()
lets p = do
  x <- readTVar (free p) -- R0
  let y = x * 2
      z = y + 1
  writeTVar (used p) y -- W1
  writeTVar (size p) (z - 1) -- W2
  writeTVar (free p) z -- W0

{-# NOINLINE nested #-}
nested :: Pool -> STM ()
nested p = do
  x <- do
    y <- readTVar (free p) -- R0
    writeTVar (free p) (y + 1) -- W0
    pure (y + 2)
  z <- readTVar (used p) -- R1
  writeTVar (size p) $ -- W2
    x
      + z
  writeTVar -- W1
    (used p)
    (x * z)
