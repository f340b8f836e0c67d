{-# LANGUAGE MagicHash, UnboxedTuples #-}
-- One transaction, `poke`, writes what `victim` has read, COUNT times. A decoy writes a TVar of its own at the same time.
-- The garbage collector runs twice in the middle of each attempt: MINOR or MAJOR collections, each time with another,
-- new TVar; or MAJOR collections, in turns with two OLD TVars, of whose neighbours some have died then.
-- Prints the number of pokes, and of the collections that have moved the TVar.
import Ask
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception (evaluate)
import Control.Monad
import Data.IORef
import GHC.Conc (TVar (..), unsafeIOToSTM)
import GHC.Exts
import GHC.IO (IO (..))
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

-- Where the TVar lies now.
address :: TVar Int -> IO Int
address (TVar object) = IO $ \s -> case anyToAddr# (unsafeCoerce# object :: Any) s of
  (# s', at #) -> (# s', I# (addr2Int# at) #)

-- Collects, and returns 1 if that has moved the TVar, otherwise 0.
moves :: IO () -> TVar Int -> IO Int
moves collect shared = do
  before <- address shared
  collect
  after <- address shared
  pure $! fromEnum (after /= before)

-- TVars in the oldest generation, and others before and behind them, some of which die at each collection.
data Old = Old {theOld :: [TVar Int], neighbours :: [IORef [TVar Int]]}

oldTVars :: Int -> IO Old
oldTVars collections = do
  inOrder <- replicateM (2 * dying + 2) (newTVarIO 0) >>= newIORef
  replicateM_ 4 performMajorGC
  (before, (two, behind)) <- fmap (splitAt 2) . splitAt dying <$> readIORef inOrder
  Old two <$> mapM (\list -> evaluate (length list) >> newIORef list) [before, behind]
  where
    dying = 64 * collections

letSomeDie :: Old -> IO ()
letSomeDie old = mapM_ (`modifyIORef'` drop 64) (neighbours old)

pokes :: IO () -> Questions (TVar Int) Int -> IO ()
pokes collect asked = answer asked $ \shared -> do
  other <- newTVarIO 0
  decoy other
  movesBefore <- moves collect shared
  poke shared
  decoy other
  movesAfter <- moves collect shared
  pure $! movesBefore + movesAfter

main :: IO ()
main = do
  [kind, number] <- getArgs
  let count = read number
  old <- if kind == "OLD" then Just <$> oldTVars (2 * count) else pure Nothing
  let collect = mapM_ letSomeDie old >> if kind == "MINOR" then performMinorGC else performMajorGC
  asked <- newEmptyMVar
  _ <- forkIO (pokes collect asked)
  seen <- newIORef 0
  moved <- newIORef 0
  forM_ [1 .. count] $ \i -> do
    shared <- maybe (newTVarIO 0) (\found -> pure (theOld found !! (i `mod` 2))) old
    before <- readTVarIO shared
    isFirst <- newIORef True
    after <- victim (ask asked shared >>= \n -> modifyIORef' moved (+ n)) shared isFirst
    modifyIORef' seen (+ (after - before))
    when (kind == "MINOR") performMajorGC
  mapM_ (readIORef >=> print) [seen, moved]
