-- Waits for a TVar that nobody can write any more: GHC's collector finds that, and ends the program. Before, one thread has
-- waited in vain and was killed, and another one was woken. Without the fault somebody writes the TVar.
-- usage: forever with|without
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus)
import System.Environment

waitFor :: TVar Int -> Int -> IO ()
waitFor var least = atomically (readTVar var >>= \now -> when (now < least) retry)
{-# NOINLINE waitFor #-}

waitForEver :: TVar Int -> IO ()
waitForEver var = atomically (readTVar var >>= \now -> when (now < 1) retry)
{-# NOINLINE waitForEver #-}

untilAsleep :: ThreadId -> IO ()
untilAsleep thread = do
  status <- threadStatus thread
  unless (status == ThreadBlocked BlockedOnSTM) (yield >> untilAsleep thread)

main :: IO ()
main = do
  var <- newTVarIO 0
  over <- newEmptyMVar
  threads <- forM [1, 2] $ \least -> forkFinally (waitFor var least) (const (putMVar over ()))
  mapM_ untilAsleep threads
  killThread (last threads)
  atomically (writeTVar var 1)
  replicateM_ 2 (takeMVar over)
  never <- newTVarIO 0
  form <- getArgs
  waiting <- myThreadId
  when (form == ["without"]) $ void $ forkIO $ untilAsleep waiting >> atomically (writeTVar never 1)
  waitForEver never
