-- Transfers between accounts: THREADS x COUNT transactions of transfers, as many of deposits, and one at the end, which
-- adds up.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import System.Environment

transfer :: TVar Int -> TVar Int -> STM ()
transfer from to = do
  x <- readTVar from
  writeTVar from $! x - 1
  y <- readTVar to
  writeTVar to $! y + 1

deposit :: TVar Int -> STM ()
deposit to = modifyTVar' to (+ 1)

main :: IO ()
main = do
  [threads, count] <- map read <$> getArgs
  accounts <- replicateM 3 (newTVarIO 0)
  ends <- replicateM threads newEmptyMVar
  forM_ (zip [0 ..] ends) $ \(number, end) -> forkIO $ do
    let account k = accounts !! ((number + k) `mod` 3)
    forM_ [1 .. count :: Int] $ \i -> do
      atomically (transfer (account i) (account (i + 1)))
      atomically (deposit (account i))
    putMVar end ()
  mapM_ takeMVar ends
  total <- atomically (sum <$> mapM readTVar accounts)
  print total
