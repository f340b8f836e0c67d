-- Each transaction begins in `run`, and most by way of `logged`. Each of four threads makes COUNT deposits, half as many
-- transfers, and a tenth as many audits. Prints how many transactions have committed, as they count themselves, and how
-- many attempts they have made.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import GHC.Conc (unsafeIOToSTM)
import System.Environment

data Shop = Shop {committed, one, other :: TVar Int, attempts :: IORef Int}

run :: Shop -> STM a -> IO a
run shop act = atomically $ do
  unsafeIOToSTM (atomicModifyIORef' (attempts shop) (\n -> (n + 1, ())))
  result <- act
  modifyTVar' (committed shop) (+ 1)
  return result
{-# NOINLINE run #-}

logged :: Shop -> STM Int -> IO Int
logged shop act = do
  result <- run shop act
  when (result < 0) $ putStrLn "below zero"
  return result
{-# NOINLINE logged #-}

deposit, transfer, audit :: Shop -> IO ()
deposit shop = do
  run shop (modifyTVar' (one shop) (+ 1))
  return ()
{-# NOINLINE deposit #-}
transfer shop = do
  sum' <- logged shop (readTVar (one shop) >>= \x -> writeTVar (other shop) x >> return x)
  when (sum' < 0) $ print sum'
{-# NOINLINE transfer #-}
audit shop = do
  sum' <- logged shop ((+) <$> readTVar (one shop) <*> readTVar (other shop))
  when (sum' < 0) $ print sum'
{-# NOINLINE audit #-}

main :: IO ()
main = do
  [count] <- map read <$> getArgs
  shop <- Shop <$> newTVarIO 0 <*> newTVarIO 0 <*> newTVarIO 0 <*> newIORef 0
  ends <- replicateM 4 newEmptyMVar
  forM_ ends $ \end -> forkIO $ do
    forM_ [1 .. count] $ \i -> do
      deposit shop
      when (i `mod` 2 == (0 :: Int)) (transfer shop)
      when (i `mod` 10 == 0) (audit shop)
    putMVar end ()
  mapM_ takeMVar ends
  done <- readTVarIO (committed shop)
  made <- readIORef (attempts shop)
  putStrLn (show done ++ " " ++ show made)
