-- 20 workers wait for a thing in an empty pool. COUNT times, when all of them sleep, `giveBack` returns one: it wakes them
-- all, one takes it, and the others sleep again. So each wake is by `giveBack`, and never by the worker that takes it.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.Environment

takeThing :: TVar [Int] -> IO Int
takeThing pool = atomically $ do
  things <- readTVar pool
  case things of
    [] -> retry
    thing : rest -> writeTVar pool rest >> return thing
{-# NOINLINE takeThing #-}

giveBack :: TVar [Int] -> Int -> IO ()
giveBack pool thing = atomically (readTVar pool >>= writeTVar pool . (thing :))
{-# NOINLINE giveBack #-}

-- A thread that was woken up, and has not run since, is still said to be blocked.
untilAsleep :: ThreadId -> IO ()
untilAsleep thread = do
  status <- threadStatus thread
  unless (status == ThreadBlocked BlockedOnSTM) (yield >> untilAsleep thread)

main :: IO ()
main = do
  [count] <- map read <$> getArgs
  pool <- newTVarIO []
  taken <- newEmptyMVar
  workers <- replicateM 20 (forkIO (forever (takeThing pool >>= putMVar taken)))
  things <- forM [1 .. count] $ \i -> do
    mapM_ untilAsleep workers
    giveBack pool i
    takeMVar taken
  print (sum things)
