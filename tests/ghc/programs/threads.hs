-- Three Haskell threads with labels: in the middle of each transaction of `reader` and `scanner`, `writer` commits a write
-- of the TVar that they have read. So `reader` loses 30 attempts and `scanner` 20. Prints the labels and numbers.
import Ask
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.Char (isDigit)
import Data.IORef
import GHC.Conc (labelThread, unsafeIOToSTM)

-- Prints the thread's label and number, and does the work.
labelled :: String -> IO () -> IO ThreadId
labelled label work = do
  hasBegun <- newEmptyMVar
  thread <- forkIO $ do
    self <- myThreadId
    labelThread self label
    putStrLn (label ++ " " ++ filter isDigit (show self))
    putMVar hasBegun ()
    work
  takeMVar hasBegun
  pure thread

lose :: Questions () () -> TVar Int -> IO ()
lose asked var = do
  isFirst <- newIORef True
  atomically $ do
    old <- readTVar var
    unsafeIOToSTM $ do
      first <- atomicModifyIORef' isFirst ((,) False)
      when first (ask asked ())
    writeTVar var $! old + 1
{-# NOINLINE lose #-}

main :: IO ()
main = do
  var <- newTVarIO 0
  asked <- newEmptyMVar
  _ <- labelled "writer" (answer asked (\() -> atomically (modifyTVar' var (+ 1))))
  forM_ [("reader", 30), ("scanner", 20)] $ \(label, times) -> do
    end <- newEmptyMVar
    _ <- labelled label (replicateM_ times (lose asked var) >> putMVar end ())
    takeMVar end
