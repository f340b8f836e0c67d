-- Of each program and each of its three TVars: a read that somebody else's write aborts, and a write that aborts somebody else's
-- read; in the order in which the names are printed. So the n-th is about "TVar #n".
module Main (main) where

import Ask
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import qualified Flow
import GHC.Conc (unsafeIOToSTM)
import qualified Helpers
import qualified Plain
import qualified Records

-- Calls the other thread in the first attempt only.
{-# NOINLINE once #-}
once :: IORef Int -> IO () -> STM ()
once attempts meet = unsafeIOToSTM $ do
  before <- atomicModifyIORef' attempts (\n -> (n + 1, n))
  when (before == 0) meet

{-# NOINLINE reader #-}
reader :: ([TVar Int] -> STM ()) -> [TVar Int] -> STM () -> IO ()
reader program vars meet = atomically (program vars >> meet)

{-# NOINLINE victim #-}
victim :: TVar Int -> STM () -> IO ()
victim var meet = atomically (readTVar var >> meet)

{-# NOINLINE poke #-}
poke :: TVar Int -> IO ()
poke var = atomically (writeTVar var 11)

main :: IO ()
main = do
  asked <- newEmptyMVar
  _ <- forkIO (answer asked id)
  forM_ [("Plain", Plain.programs), ("Helpers", Helpers.programs), ("Records", Records.programs), ("Flow", Flow.programs)] $ \(file, programs) ->
    forM_ programs $ \(name, program) ->
      forM_ [0 .. 2] $ \i -> do
        let experiment kind run = do
              vars <- mapM newTVarIO [10, 20, 30]
              attempts <- newIORef 0
              run vars (\other -> once attempts (ask asked other))
              made <- readIORef attempts
              when (made > 1) $ putStrLn (unwords [file, name, kind ++ show i])
        experiment "R" $ \vars meet -> reader program vars (meet (poke (vars !! i)))
        experiment "W" $ \vars meet -> victim (vars !! i) (meet (atomically (program vars)))
