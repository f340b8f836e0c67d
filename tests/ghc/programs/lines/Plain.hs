-- Transactions of statements in a row. A line with R0 reads TVar 0 first, one with W0 writes it first; r0 and w0 are the
-- statements through which a function that does that is called.
module Plain (programs) where

import Control.Concurrent.STM

programs :: [(String, [TVar Int] -> STM ())]
programs =
  [("inARow", inARow), ("strict", strict), ("oneLine", oneLine), ("modify", modify), ("swapping", swapping), ("binds", binds)]

inARow :: [TVar Int] -> STM ()
inARow [a, b, c] = do
  x <- readTVar a -- R0
  writeTVar b (x + 1) -- W1
  y <- readTVar c -- R2
  writeTVar c (y + x) -- W2
  writeTVar a (y * 2) -- W0

strict :: [TVar Int] -> STM ()
strict [a, b, c] = do
  x <- readTVar a -- R0
  writeTVar b $! x + 1 -- W1
  y <- readTVar c -- R2
  writeTVar a $! y - x -- W0
  writeTVar c 5 -- W2

oneLine :: [TVar Int] -> STM ()
oneLine [a, _, _] = readTVar a >>= \x -> writeTVar a (x + 1) -- R0 W0

modify :: [TVar Int] -> STM ()
modify [a, b, c] = do
  modifyTVar' a (+ 1) -- R0 W0
  modifyTVar b (* 2) -- R1 W1

  modifyTVar' c (subtract 3) -- R2 W2

swapping :: [TVar Int] -> STM ()
swapping [a, b, c] = do
  old <- swapTVar a 7 -- R0 W0
  more <- stateTVar b (\s -> (s, s + old)) -- R1 W1
  writeTVar c (old + more) -- W2
  return ()

binds :: [TVar Int] -> STM ()
binds [a, b, _] =
  readTVar a -- R0
    >>= \x ->
      readTVar b -- R1
        >>= \y ->
          writeTVar a (x + y) -- W0
            >> writeTVar b (x - y) -- W1
