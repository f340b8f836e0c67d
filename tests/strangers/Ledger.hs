{-# LANGUAGE CPP #-}
-- SPDX-License-Identifier: MIT
--
-- A ledger of many accounts. One thread makes balance sheets, the other one books.
module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Crew
import Data.Array

type Ledger = Array Int (TVar Int)

accounts :: Int
accounts = 600

newLedger :: IO Ledger
newLedger = listArray (0, accounts - 1) <$> replicateM accounts (newTVarIO 100)

-- What the accounts from the first to the last one have together.
sumUp :: Ledger -> Int -> Int -> STM Int
sumUp ledger first end = go first 0
  where
    go i total
      | i > end = return total
      | otherwise = do
        amount <- readTVar (ledger ! i)
        go (i + 1) $! total + amount
{-# NOINLINE sumUp #-}

balanceSheet :: Ledger -> Member -> IO Int
#ifdef FIXED
-- Page by page.
balanceSheet ledger me = sum <$> mapM onPage [0, 10 .. accounts - 1]
  where
    onPage first = transact me (sumUp ledger first (first + 9))
#else
balanceSheet ledger me = transact me (sumUp ledger 0 (accounts - 1))
#endif
{-# NOINLINE balanceSheet #-}

book :: Ledger -> Int -> Int -> Int -> STM ()
book ledger from to amount = do
  has <- readTVar (ledger ! from)
  when (has >= amount) $ do
    writeTVar (ledger ! from) $! has - amount
    modifyTVar' (ledger ! to) (+ amount)
{-# NOINLINE book #-}

clerk :: Ledger -> Member -> IO ()
clerk ledger me = do
  from <- choose me accounts
  to <- choose me accounts
  amount <- choose me 10
  transact me (book ledger from to amount)

main :: IO ()
main = do
  ledger <- newLedger
  crewRun 2 (\me -> if number me == 0 then void (balanceSheet ledger me) else clerk ledger me)
