{-# LANGUAGE CPP #-}
-- SPDX-License-Identifier: MIT
--
-- A phonebook: names with numbers, which are entered and looked up by two threads.
module Main (main) where

import Control.Concurrent.STM
import Control.Monad
import Crew
import qualified Data.Map.Strict as Map
#ifdef FIXED
import Data.Array
#endif

type Entries = Map.Map String Int

#ifdef FIXED
-- One map for each of many beginnings of names.
newtype Phonebook = Phonebook (Array Int (TVar Entries))

pages :: Int
pages = 256

newPhonebook :: IO Phonebook
newPhonebook = Phonebook . listArray (0, pages - 1) <$> replicateM pages (newTVarIO Map.empty)

page :: Phonebook -> String -> TVar Entries
page (Phonebook all') name = all' ! (foldl (\hash c -> hash * 31 + fromEnum c) 7 name `mod` pages)
#else
newtype Phonebook = Phonebook (TVar Entries)

newPhonebook :: IO Phonebook
newPhonebook = Phonebook <$> newTVarIO Map.empty

page :: Phonebook -> String -> TVar Entries
page (Phonebook entries) _ = entries
#endif

enter :: Phonebook -> String -> Int -> STM ()
enter book name phone = do
  entries <- readTVar (page book name)
  writeTVar (page book name) $! Map.insert name phone entries
{-# NOINLINE enter #-}

leave :: Phonebook -> String -> STM ()
leave book name = do
  entries <- readTVar (page book name)
  writeTVar (page book name) $! Map.delete name entries
{-# NOINLINE leave #-}

lookUp :: Phonebook -> String -> STM (Maybe Int)
lookUp book name = Map.lookup name <$> readTVar (page book name)
{-# NOINLINE lookUp #-}

nameOf :: Int -> String
nameOf i = "subscriber " ++ show (i * 48271 `mod` 65537)

serve :: Phonebook -> Member -> IO ()
serve book me = do
  name <- nameOf <$> choose me 20000
  choice <- choose me 4
  case choice of
    0 -> transact me (leave book name)
    1 -> void (transact me (lookUp book name))
    _ -> transact me (enter book name choice)

main :: IO ()
main = do
  book <- newPhonebook
  crewRun 2 (serve book)
