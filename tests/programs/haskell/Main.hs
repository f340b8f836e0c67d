-- SPDX-License-Identifier: MIT
-- | Says where its own functions are, and which of them are on the stack: a line for each, with the name or the number
-- that the program knows and the addresses, as return addresses are.
module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Store.Bank
import Walk

serve :: TVar Int -> TVar Int -> Int -> IO Int
serve from to rounds = go 0 0
  where
    go :: Int -> Int -> IO Int
    go round total
      | round == rounds = return total
      | otherwise = do
        moved <- atomically (transfer from to round)
        rest <- go (round + 1) (total + moved)
        return $! rest + 1
{-# NOINLINE serve #-}

main :: IO ()
main = do
  from <- newTVarIO 100
  to <- newTVarIO 0
  total <- serve from to 2
  when (total == 7) $ putStrLn "seven"
  atomically (double to)
  report
  function "serve" serve
