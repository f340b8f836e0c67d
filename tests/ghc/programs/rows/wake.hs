-- A caller lets 30 waiters go on, one after the other, COUNT times. "with": all wait for one TVar, the number of the
-- one that is called. "without": each waits for a TVar of its own. "own": the same, and only the fifth write is what it
-- waits for, so that it is woken in vain, and alone.
--
-- "gate": 200 waiters wait until a number is COUNT, which is raised COUNT times, each time when all of them sleep. Then
-- each one sleeps COUNT times, and all but the last time in vain. Prints how many attempts they have made.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.Array
import Data.IORef
import GHC.Conc (BlockReason (..), ThreadStatus (..), threadStatus, unsafeIOToSTM)
import System.Environment

waiters :: Int
waiters = 30

-- 0: nobody is called.
callByNumber :: TVar Int -> Int -> STM ()
callByNumber called who = do
  before <- readTVar called
  when (before /= 0) retry
  writeTVar called who
{-# NOINLINE callByNumber #-}

waitForNumber :: TVar Int -> Int -> STM ()
waitForNumber called me = do
  who <- readTVar called
  when (who /= me) retry
  writeTVar called 0
{-# NOINLINE waitForNumber #-}

type Doors = Array Int (TVar Int)

knock :: Doors -> Int -> STM ()
knock doors who = modifyTVar' (doors ! who) (+ 1)
{-# NOINLINE knock #-}

waitAtDoor :: Doors -> Int -> Int -> STM ()
waitAtDoor doors knocks me = do
  heard <- readTVar (doors ! me)
  when (heard < knocks) retry
  writeTVar (doors ! me) 0
{-# NOINLINE waitAtDoor #-}

-- The caller gives up its processor, so that the one that is called runs.
run :: Int -> (Int -> STM ()) -> (Int -> STM ()) -> IO ()
run count call wait = do
  forM_ [1 .. waiters] $ \me -> forkIO (forever (atomically (wait me)))
  forM_ [0 .. count - 1] $ \i -> atomically (call (1 + i `mod` waiters)) >> yield

-- Counts its attempts, and tells what it has read last.
waitForGate :: TVar Int -> Int -> IORef (Int, Int) -> STM ()
waitForGate raised count made = do
  now <- readTVar raised
  unsafeIOToSTM (modifyIORef' made (\(attempts, _) -> attempts `seq` (attempts + 1, now)))
  when (now < count) retry
{-# NOINLINE waitForGate #-}

raise :: TVar Int -> STM ()
raise raised = modifyTVar' raised (+ 1)
{-# NOINLINE raise #-}

-- A thread that was woken up, and has not run since, is still said to be blocked.
untilAsleep :: Int -> (ThreadId, IORef (Int, Int)) -> IO ()
untilAsleep now (thread, made) = do
  (_, seen) <- readIORef made
  status <- threadStatus thread
  unless (seen == now && status == ThreadBlocked BlockedOnSTM) (yield >> untilAsleep now (thread, made))

gate :: Int -> IO ()
gate count = do
  raised <- newTVarIO 0
  ends <- replicateM 200 newEmptyMVar
  threads <- forM ends $ \end -> do
    made <- newIORef (0, -1)
    thread <- forkIO (atomically (waitForGate raised count made) >> putMVar end ())
    return (thread, made)
  forM_ [0 .. count - 1] $ \now -> mapM_ (untilAsleep now) threads >> atomically (raise raised)
  mapM_ takeMVar ends
  made <- mapM (readIORef . snd) threads
  print (sum (map fst made))

main :: IO ()
main = do
  [form, count] <- getArgs
  called <- newTVarIO 0
  doors <- listArray (1, waiters) <$> replicateM waiters (newTVarIO 0)
  case form of
    "with" -> run (read count) (callByNumber called) (waitForNumber called)
    "without" -> run (read count) (knock doors) (waitAtDoor doors 1)
    "gate" -> gate (read count)
    "own" -> run (read count) (knock doors) (waitAtDoor doors 5)
    _ -> error form
