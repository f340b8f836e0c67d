-- A shop. Four clerks take orders from a queue, and book each in the shop's accounts. An order is the number of an item.
module Main (main) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.List (foldl')
import qualified Data.Map.Strict as Map

-- What each item has earned.
type Accounts = TVar (Map.Map Int Integer)

items, orders :: Int
items = 100
orders = 1000

-- The price depends on what the item has earned before. It takes some milliseconds to work out.
price :: Integer -> Integer
price earned = 1 + foldl' (\rest day -> (31 * rest + day) `mod` 1000003) earned [1 .. 50000] `mod` 7

book :: Accounts -> Int -> STM ()
book accounts item = do
  earnings <- readTVar accounts
  let earned = earnings Map.! item
  writeTVar accounts $! Map.insert item (earned + price earned) earnings
{-# NOINLINE book #-}

clerk :: Accounts -> TBQueue (Maybe Int) -> IO ()
clerk accounts queue = do
  order <- atomically (readTBQueue queue)
  case order of
    Nothing -> pure ()
    Just item -> do
      atomically (book accounts item)
      clerk accounts queue

main :: IO ()
main = do
  accounts <- newTVarIO (Map.fromList [(item, 0) | item <- [1 .. items]])
  queue <- newTBQueueIO 16
  ends <- replicateM 4 newEmptyMVar
  forM_ ends $ \end -> forkFinally (clerk accounts queue) (const (putMVar end ()))
  forM_ [1 .. orders] $ \order -> atomically (writeTBQueue queue (Just (1 + order * 7 `mod` items)))
  forM_ ends $ \_ -> atomically (writeTBQueue queue Nothing)
  mapM_ takeMVar ends
  earnings <- Map.elems <$> readTVarIO accounts
  putStrLn (show (length (filter (> 0) earnings)) ++ " items have earned something")
