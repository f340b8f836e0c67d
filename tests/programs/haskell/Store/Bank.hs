-- SPDX-License-Identifier: MIT
-- | A module with functions that others see, and with some that they do not.
module Store.Bank (transfer, (|+|), double, report) where

import Control.Concurrent.STM
import GHC.Conc (unsafeIOToSTM)
import Walk

transfer :: TVar Int -> TVar Int -> Int -> STM Int
transfer from to amount = do
  left <- withdraw from amount
  there <- to |+| amount
  return $! left + there
{-# NOINLINE transfer #-}

withdraw :: TVar Int -> Int -> STM Int
withdraw account amount = do
  balance <- readTVar account
  unsafeIOToSTM (walk 1)
  writeTVar account $! balance - amount
  return $! balance - amount
{-# NOINLINE withdraw #-}

infixl 6 |+|
(|+|) :: TVar Int -> Int -> STM Int
account |+| amount = do
  balance <- readTVar account
  again <- checked balance
  writeTVar account $! again + amount
  return $! again + amount
{-# NOINLINE (|+|) #-}

checked :: Int -> STM Int
checked balance = do
  unsafeIOToSTM (walk 2)
  if balance < -1000000 then retry else return $! balance * 1
{-# NOINLINE checked #-}

double :: TVar Int -> STM ()
double account = do
  balance <- readTVar account
  again <- checked balance
  writeTVar account $! again + balance
{-# INLINE double #-}

report :: IO ()
report = do
  function "transfer" transfer
  function "withdraw" withdraw
  function "|+|" (|+|)
  function "checked" checked
