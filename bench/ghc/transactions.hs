{-# LANGUAGE BangPatterns #-}

-- Transactions of one Haskell thread: "read" reads a TVar, "increment" changes it, "transfer" changes two, and "work"
-- computes for about a microsecond while it changes one. With "asleep", a transaction of another Haskell thread sleeps
-- meanwhile. They run in windows of some hundred microseconds. Prints how many nanoseconds a transaction took in the 5th
-- percentile of the windows: so it hardly matters what else the machine does.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.Bits
import Data.List
import GHC.Clock
import System.Environment

mix :: Int -> Int
mix x = let a = x `xor` (x `shiftL` 13); b = a `xor` (a `shiftR` 7) in b `xor` (b `shiftL` 17)

work :: Int -> Int -> Int
work 0 !x = x
work n !x = work (n - 1) (mix x)

readIt, increment, workOn :: TVar Int -> STM ()
transfer :: TVar Int -> TVar Int -> STM ()
readIt v = readTVar v >>= \ !_ -> pure ()
increment v = readTVar v >>= \x -> writeTVar v $! x + 1
transfer from to = do
  x <- readTVar from
  writeTVar from $! x - 1
  y <- readTVar to
  writeTVar to $! y + 1
workOn v = readTVar v >>= \x -> writeTVar v $! work 600 x

times :: Int -> IO () -> IO ()
times 0 _ = pure ()
times n act = act >> times (n - 1) act
{-# INLINE times #-}

window :: TVar Int -> TVar Int -> String -> Int -> IO Double
window v other kind len = do
  begin <- getMonotonicTimeNSec
  case kind of
    "read" -> times len (atomically (readIt v))
    "increment" -> times len (atomically (increment v))
    "transfer" -> times len (atomically (transfer v other))
    _ -> times len (atomically (workOn v))
  end <- getMonotonicTimeNSec
  pure $! fromIntegral (end - begin) / fromIntegral len

-- Runs the action while a transaction sleeps.
whileOneSleeps :: IO a -> IO a
whileOneSleeps act = do
  isOver <- newTVarIO False
  _ <- forkIO (atomically (readTVar isOver >>= check))
  threadDelay 10000
  act <* atomically (writeTVar isOver True)

main :: IO ()
main = do
  kind : windows : len : asleep <- getArgs
  v <- newTVarIO 1
  other <- newTVarIO 1
  all <- (if null asleep then id else whileOneSleeps) $
    replicateM (read windows) (window v other kind (read len))
  print (sort all !! (read windows `div` 20))
