{-# LANGUAGE BangPatterns #-}

-- Transactions of one Haskell thread: "read" reads a TVar, "increment" changes it, and "work" computes for about a
-- microsecond in between. Prints how many there were, and how long they took.
import Control.Concurrent.STM
import Data.Bits
import GHC.Clock
import System.Environment

mix :: Int -> Int
mix x = let a = x `xor` (x `shiftL` 13); b = a `xor` (a `shiftR` 7) in b `xor` (b `shiftL` 17)

work :: Int -> Int -> Int
work 0 !x = x
work n !x = work (n - 1) (mix x)

readIt, increment, workOn :: TVar Int -> STM ()
readIt v = readTVar v >>= \ !_ -> pure ()
increment v = readTVar v >>= \x -> writeTVar v $! x + 1
workOn v = readTVar v >>= \x -> writeTVar v $! work 600 x

times :: Int -> IO () -> IO ()
times 0 _ = pure ()
times n act = act >> times (n - 1) act
{-# INLINE times #-}

main :: IO ()
main = do
  [kind, count] <- getArgs
  v <- newTVarIO 1
  begin <- getMonotonicTimeNSec
  case kind of
    "read" -> times (read count) (atomically (readIt v))
    "increment" -> times (read count) (atomically (increment v))
    _ -> times (read count) (atomically (workOn v))
  end <- getMonotonicTimeNSec
  print (fromIntegral (end - begin) / read count :: Double)
