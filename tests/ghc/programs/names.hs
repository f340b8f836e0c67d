-- Transactions with names and TVars with labels, and some without. COUNT times each kind of transaction loses one attempt:
-- another Haskell thread commits in its middle, and the garbage collector moves the TVars there. `wait` sleeps once.
import Ask
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import GHC.Conc (unsafeIOToSTM)
import StmlogNames
import System.Environment
import System.Mem

data Bank = Bank {savings, coins, other :: TVar Int}

makeBank :: IO Bank
makeBank = do
  one <- newTVarIO 1
  two <- newTVarIO 2
  labelTVar one "old"
  labelTVar one "savings"
  Bank one two <$> newTVarIO 3
{-# NOINLINE makeBank #-}

-- Once for each transaction.
meet :: Questions (TVar Int) () -> IORef Bool -> TVar Int -> STM ()
meet asked isFirst var = unsafeIOToSTM $ do
  first <- atomicModifyIORef' isFirst ((,) False)
  when first $ performMajorGC >> ask asked var

poke :: Questions (TVar Int) () -> IO ()
poke asked = answer asked (\var -> atomicallyNamed "poke" (modifyTVar' var (+ 1)))

main :: IO ()
main = do
  [number] <- getArgs
  bank <- makeBank
  asked <- newEmptyMVar
  _ <- forkIO (poke asked)
  done <- newEmptyMVar
  gate <- newTVarIO False
  _ <- forkIO (atomicallyNamed "wait" (readTVar gate >>= check) >> putMVar done ())
  let lose run var = do
        isFirst <- newIORef True
        run (readTVar var >>= \old -> meet asked isFirst var >> writeTVar var (old + 1))
  forM_ [1 .. read number :: Int] $ \i -> do
    when (i == 2) (labelTVar (coins bank) "M\252nzen \129689")
    lose (atomicallyNamed "save") (savings bank)
    lose (atomicallyNamed ("count M\252nzen" ++ replicate 100 '!')) (coins bank)
    lose atomically (other bank)
  yield
  atomicallyNamed "open" (writeTVar gate True)
  takeMVar done
  mapM readTVarIO [savings bank, coins bank, other bank] >>= print
