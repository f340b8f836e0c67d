-- One transaction, `poke`, writes what `victim` has read, COUNT times, each time another TVar. A decoy writes a TVar of
-- its own at the same time. The garbage collector runs in the middle of each attempt: MINOR or MAJOR collections.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import GHC.Conc (unsafeIOToSTM)
import System.Environment
import System.Mem

{-# NOINLINE poke #-}
poke :: TVar Int -> IO ()
poke shared = atomically (readTVar shared >>= \old -> writeTVar shared $! old + 1)

{-# NOINLINE decoy #-}
decoy :: TVar Int -> IO ()
decoy other = atomically (readTVar other >>= \old -> writeTVar other $! old + 1)

{-# NOINLINE victim #-}
victim :: IO () -> TVar Int -> IORef Bool -> IO Int
victim meet shared isFirst = atomically $ do
  before <- readTVar shared
  unsafeIOToSTM $ do
    first <- atomicModifyIORef' isFirst ((,) False)
    when first meet
  pure before

main :: IO ()
main = do
  [collection, count] <- getArgs
  let collect = if collection == "MAJOR" then performMajorGC else performMinorGC
  asked <- newEmptyMVar
  done <- newEmptyMVar
  _ <- forkIO $ forever $ do
    shared <- takeMVar asked
    other <- newTVarIO 0
    decoy other
    collect
    poke shared
    decoy other
    collect
    putMVar done ()
  total <- newIORef 0
  forM_ [1 .. read count :: Int] $ \_ -> do
    shared <- newTVarIO 0
    isFirst <- newIORef True
    seen <- victim (putMVar asked shared >> takeMVar done) shared isFirst
    modifyIORef' total (+ seen)
    when (collection == "MINOR") performMajorGC
  readIORef total >>= print
