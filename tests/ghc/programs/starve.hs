{-# LANGUAGE ForeignFunctionInterface #-}

-- BEFORE short transactions, and then one, `victim`, whose first COUNT attempts fail: in the middle of each one, `poke`
-- writes what the attempt has read, on another capability. Prints what the last attempt has read, and how long those
-- that failed took from the third one on, in nanoseconds. To be run with -N2, without a timer and with a large nursery:
-- the victim spins, since an attempt whose Haskell thread is blocked loses no time.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import Data.Word
import Foreign
import GHC.Clock
import GHC.Conc (unsafeIOToSTM)
import System.Environment

foreign import ccall unsafe "sched_yield" schedYield :: IO Int32

-- How many pokes were asked for, and how many were made.
data Counts = Counts {asked, made :: Ptr Int}

spinUntil :: IO Bool -> IO ()
spinUntil holds = holds >>= \yes -> unless yes (schedYield >> spinUntil holds)

spinFor :: Word64 -> IO ()
spinFor ns = getMonotonicTimeNSec >>= \begin -> spinUntil ((>= begin + ns) <$> getMonotonicTimeNSec)

poke' :: TVar Int -> IO ()
poke' shared = atomically (readTVar shared >>= \old -> writeTVar shared $! old + 1)
{-# NOINLINE poke' #-}

pokes :: Counts -> TVar Int -> Int -> IO ()
pokes counts shared count = forM_ [1 .. count] $ \number -> do
  spinUntil ((>= number) <$> peek (asked counts))
  poke' shared
  poke (made counts) number

victim :: Counts -> TVar Int -> Int -> IORef [Word64] -> IO Int
victim counts shared count stamps = atomically $ do
  unsafeIOToSTM (getMonotonicTimeNSec >>= \now -> modifyIORef' stamps (now :))
  before <- readTVar shared
  unsafeIOToSTM $ do
    attempt <- length <$> readIORef stamps
    when (attempt <= count) $ do
      poke (asked counts) attempt
      spinUntil ((>= attempt) <$> peek (made counts))
      spinFor 500000
  pure before
{-# NOINLINE victim #-}

main :: IO ()
main = do
  [count, before] <- map read <$> getArgs
  counts <- Counts <$> malloc <*> malloc
  poke (asked counts) 0 >> poke (made counts) 0
  shared <- newTVarIO 0
  stamps <- newIORef []
  end <- newEmptyMVar
  _ <- forkOn 1 (pokes counts shared count)
  other <- newTVarIO 0
  _ <- forkOn 0 (replicateM_ before (poke' other) >> victim counts shared count stamps >>= putMVar end)
  takeMVar end >>= print
  begins <- reverse <$> readIORef stamps
  let lengths = zipWith (-) (tail begins) begins
  print (sum (drop 2 lengths))
