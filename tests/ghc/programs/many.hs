{-# LANGUAGE ForeignFunctionInterface #-}
-- "threads": COUNT Haskell threads, each of which commits once. "long": a transaction that writes COUNT TVars. "children":
-- COUNT transactions before, and after, a child process has run. "calls": each of 8 threads commits COUNT times 100
-- transactions, of which one calls C and lets others run meanwhile. Each prints how many transactions have committed.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Foreign.C.Types
import GHC.Conc (unsafeIOToSTM)
import System.Environment
import System.Process

foreign import ccall safe "usleep" sleepInC :: CInt -> IO CInt

add :: TVar Int -> IO ()
add var = atomically (modifyTVar' var (+ 1))

threads :: Int -> IO Int
threads count = do
  var <- newTVarIO 0
  replicateM_ count (forkIO (add var))
  atomically (readTVar var >>= \done -> check (done == count))
  pure (count + 1)

long :: Int -> IO Int
long count = do
  vars <- replicateM count (newTVarIO 0)
  atomically (forM_ vars (\var -> modifyTVar' var (+ 1)))
  1 <$ atomically (mapM_ readTVar vars)

children :: Int -> IO Int
children count = do
  var <- newTVarIO 0
  replicateM_ count (add var)
  callProcess "true" []
  replicateM_ count (add var)
  pure (2 * count)

calls :: Int -> IO Int
calls count = do
  done <- newEmptyMVar
  replicateM_ 8 . forkIO $ do
    var <- newTVarIO 0
    let change call = atomically (readTVar var >>= \x -> call >> (writeTVar var $! x + length (show x)))
    replicateM_ count (change (void (unsafeIOToSTM (sleepInC 50))) >> replicateM_ 99 (change (pure ())))
    putMVar done ()
  replicateM_ 8 (takeMVar done)
  pure (800 * count)

main :: IO ()
main = do
  [scene, text] <- getArgs
  let count = read text
  commits <- case scene of
    "threads" -> threads count
    "long" -> (+ 1) <$> long count
    "calls" -> calls count
    _ -> children count
  print commits
