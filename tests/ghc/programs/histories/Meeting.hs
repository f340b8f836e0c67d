{-# LANGUAGE ForeignFunctionInterface #-}
{-# OPTIONS_GHC -fno-omit-yields #-}

-- Two workers, each on a capability of its own, whose transactions meet in the middle. So their conflicts do not depend
-- on luck. To be run with -N2.
module Meeting (Worker, name, meet, twoWorkers) where

import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import Data.Word
import GHC.Conc (unsafeIOToSTM)

foreign import ccall unsafe "sched_yield" schedYield :: IO Word32

data Worker = Worker
  { name :: Int -- 0 or 1
  , mine, others :: IORef Int -- the last round in which a worker has come to the meeting
  }

-- Waits until the other worker is in its transaction of this round, too. Later attempts in the round do not wait. The
-- loop allocates nothing; -fno-omit-yields lets the garbage collector stop it all the same.
meet :: Worker -> Int -> STM ()
meet worker number = unsafeIOToSTM $ do
  atomicWriteIORef (mine worker) number
  let wait = readIORef (others worker) >>= \other -> when (other < number) (schedYield >> wait)
  wait
{-# NOINLINE meet #-}

-- Each worker does its work once a round.
twoWorkers :: Int -> (Worker -> Int -> IO ()) -> IO ()
twoWorkers rounds work = do
  [first, second] <- replicateM 2 (newIORef 0)
  ends <- forM [Worker 0 first second, Worker 1 second first] $ \worker -> do
    end <- newEmptyMVar
    _ <- forkOn (name worker) (mapM_ (work worker) [1 .. rounds] >> putMVar end ())
    pure end
  mapM_ takeMVar ends
