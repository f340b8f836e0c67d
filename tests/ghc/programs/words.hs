-- Makes each way happen in which an attempt ends without a commit, COUNT times. In the middle of a first attempt the
-- victim lets another thread commit a write of what it has read, and waits until that is done.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import Data.IORef
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus, unsafeIOToSTM)
import System.Environment

-- The other thread, which writes when it is asked to.
data Other = Other {asked :: MVar Int, done :: MVar ()}

poke :: TVar Int -> Int -> IO ()
poke shared value = atomically (writeTVar shared value)

other :: TVar Int -> IO Other
other shared = do
  new <- Other <$> newEmptyMVar <*> newEmptyMVar
  _ <- forkIO $ forever $ do
    value <- takeMVar (asked new)
    poke shared value
    putMVar (done new) ()
  pure new

-- Once for each transaction.
meet :: Other -> IORef Bool -> Int -> STM ()
meet them isFirst value = unsafeIOToSTM $ do
  first <- atomicModifyIORef' isFirst ((,) False)
  when first $ putMVar (asked them) value >> takeMVar (done them)

victim :: String -> TVar Int -> Other -> IORef Bool -> Int -> STM Int
victim "invalid" shared them isFirst value = do
  before <- readTVar shared
  meet them isFirst value
  pure before
victim "zombie" shared them isFirst value = do
  before <- readTVar shared
  meet them isFirst value
  unsafeIOToSTM yield
  pure before
victim "nested" shared them isFirst value = inner `orElse` pure 0
  where
    inner = readTVar shared >>= \before -> meet them isFirst value >> pure before
victim "retry" shared them isFirst value = do
  before <- readTVar shared
  meet them isFirst value
  if before == value then pure before else retry
victim "exception" shared them isFirst value = do
  before <- readTVar shared
  meet them isFirst value
  if before == value then pure before else throwSTM (userError "outdated")
victim scene _ _ _ _ = error scene

lose :: String -> TVar Int -> Other -> Int -> IO ()
lose scene shared them value = do
  isFirst <- newIORef True
  _ <- atomically (victim scene shared them isFirst value)
  pure ()

-- Sleeps until the value is there, and is woken up once before.
sleepy :: TVar Int -> Int -> STM ()
sleepy shared value = do
  now <- readTVar shared
  when (now /= value) retry

untilAsleep :: ThreadId -> IO ()
untilAsleep thread = do
  status <- threadStatus thread
  unless (status == ThreadBlocked BlockedOnSTM) (yield >> untilAsleep thread)

vain :: TVar Int -> TVar Int -> Int -> IO ()
vain shared seen value = do
  end <- newEmptyMVar
  thread <- forkIO (atomically (readTVar seen >> sleepy shared value) >> putMVar end ())
  untilAsleep thread
  poke seen value
  untilAsleep thread
  poke shared value
  takeMVar end

-- Woken for a value that is gone again before the sleeper runs: with one capability, and as long as nothing preempts
-- (+RTS -V0), that is when this thread yields.
spurious :: TVar Int -> TVar Bool -> Int -> IO ()
spurious shared flag value = do
  end <- newEmptyMVar
  thread <- forkIO (atomically (readTVar flag >> sleepy shared value) >> putMVar end ())
  untilAsleep thread
  atomically (writeTVar flag True)
  atomically (writeTVar flag False)
  untilAsleep thread
  poke shared value
  takeMVar end

-- Killed while it sleeps.
asleep :: TVar Int -> IO ()
asleep shared = do
  end <- newEmptyMVar
  let body = atomically (sleepy shared (-1))
  thread <- forkIO (body `catch` (\e -> const (pure ()) (e :: AsyncException)) >> putMVar end ())
  untilAsleep thread
  killThread thread
  takeMVar end

raise :: TVar Int -> IO ()
raise shared = do
  result <- try (atomically (readTVar shared >> throwSTM (userError "raised")))
  case result of
    Left error' -> const (pure ()) (error' :: IOException)
    Right () -> pure ()

-- The thread waits for what is put in at last.
killed :: TVar Int -> IO ()
killed shared = do
  never <- newEmptyMVar
  killWithin shared forkIO (takeMVar never)
  putMVar never ()

-- The thread runs on another capability if there is one, which hears of the exception behind a validation.
killedFar :: TVar Int -> IO ()
killedFar shared = do
  when rtsSupportsBoundThreads (setNumCapabilities 2)
  killWithin shared (forkOn 1) (forever yield)

killWithin :: TVar Int -> (IO () -> IO ThreadId) -> IO () -> IO ()
killWithin shared fork while = do
  begun <- newEmptyMVar
  end <- newEmptyMVar
  let body = readTVar shared >> unsafeIOToSTM (putMVar begun () >> while)
  thread <- fork (atomically body `catch` (\e -> const (pure ()) (e :: AsyncException)) >> putMVar end ())
  takeMVar begun
  killThread thread
  takeMVar end

main :: IO ()
main = do
  [scene, count] <- getArgs
  shared <- newTVarIO 0
  seen <- newTVarIO 0
  flag <- newTVarIO False
  them <- other shared
  forM_ [1 .. read count] $ \value -> case scene of
    "vain" -> vain shared seen value
    "spurious" -> spurious shared flag value
    "asleep" -> asleep shared
    "raise" -> raise shared
    "killed" -> killed shared
    "killed-far" -> killedFar shared
    _ -> lose scene shared them value
