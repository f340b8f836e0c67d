-- Transactions of known lengths, each COUNT times: `total` reads 40 TVars and writes one of them, `firstFull` tries 30
-- alternatives, of which each reads a TVar and only the last one finds a value.
import Control.Concurrent.STM
import Control.Monad
import System.Environment

total :: [TVar Int] -> IO Int
total vars = atomically $ do
  xs <- mapM readTVar vars
  writeTVar (head vars) (sum xs + 1)
  return (sum xs)
{-# NOINLINE total #-}

takeFrom :: TVar (Maybe Int) -> STM Int
takeFrom slot = readTVar slot >>= maybe retry return
{-# NOINLINE takeFrom #-}

firstFull :: [TVar (Maybe Int)] -> IO Int
firstFull slots = atomically (foldr (orElse . takeFrom) retry slots)
{-# NOINLINE firstFull #-}

main :: IO ()
main = do
  [count] <- map read <$> getArgs
  vars <- replicateM 40 (newTVarIO 0)
  slots <- mapM newTVarIO (replicate 29 Nothing ++ [Just 1])
  found <- forM [1 .. count] $ \_ -> (+) <$> total vars <*> firstFull slots
  print (length found)
