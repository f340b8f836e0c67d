-- All that ends transactions in other ways than a commit, at once, for ROUNDS rounds: timeouts, exceptions from other
-- threads, transactions that can never go on, a changing number of capabilities, bound threads, collections, a forked
-- process, and attempts that only the scheduler ends. Prints what the TVars sum up to, here and in the child.
--
-- The number of capabilities changes before there is load. GHC 9.0.2 hangs by itself if it changes among busy threads: of
-- 600 runs of this program in which a thread called setNumCapabilities, alternately without the module and with it, 17
-- and 9 hung. In each of these 26 the thread of the RTS's timer was waiting to be started again, so that no Haskell
-- thread was preempted any more.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import Foreign.StablePtr
import GHC.Conc (unsafeIOToSTM)
import System.Environment
import System.Exit
import System.Mem
import System.Posix.Process
import System.Timeout

-- Moves 1 from one TVar to the next one, and sees no other sum than 0.
move :: [TVar Int] -> Int -> STM ()
move vars i = do
  let from = vars !! (i `mod` length vars)
      to = vars !! ((i + 1) `mod` length vars)
  x <- readTVar from
  y <- readTVar to
  writeTVar from $! x - 1
  when (i `mod` 3 == 0) $ (check (y > 1000000) >> writeTVar to 0) `orElse` pure ()
  writeTVar to $! y + 1

together :: TVar Int -> TVar Int -> STM ()
together a b = modifyTVar' a (+ 1) >> modifyTVar' b (+ 1)

-- Sleeps until it is killed, or until the collector finds that nobody can wake it.
stuck :: IO ()
stuck = do
  never <- newTVarIO False
  result <- try (atomically (readTVar never >>= check))
  case result of
    Left BlockedIndefinitelyOnSTM -> pure ()
    Right () -> error "the impossible"

raising :: [TVar Int] -> Int -> IO ()
raising vars i = do
  result <- try (atomically (move vars i >> throwSTM (userError "raised")))
  either (\e -> const (pure ()) (e :: IOException)) pure result
  atomically (move vars i `catchSTM` \e -> const (pure ()) (e :: IOException))

late :: TVar Int -> IO ()
late var = void (timeout 1000 (atomically (readTVar var >>= \x -> check (x < 0))))

shot :: [TVar Int] -> IO ()
shot vars = do
  thread <- forkIO (forM_ [0 ..] (atomically . move vars) `catch` \e -> const (pure ()) (e :: AsyncException))
  yield
  killThread thread

-- Computes without allocating anything, for ever if the sum is not 0.
spin :: Int -> Int
spin 0 = 0
spin n = spin (if n > 0 then n else 1)

-- Reads one TVar before, and the other one behind, a commit that changes both: the attempt never ends by itself.
zombie :: IO ()
zombie = do
  [a, b] <- replicateM 2 (newTVarIO 0)
  isFirst <- newMVar ()
  done <- newEmptyMVar
  atomically $ do
    x <- readTVar a
    unsafeIOToSTM $ do
      first <- tryTakeMVar isFirst
      forM_ first $ \_ -> do
        _ <- forkIO (atomically (writeTVar a 1 >> writeTVar b 1) >> putMVar done ())
        takeMVar done
    y <- readTVar b
    writeTVar a $! x + spin (y - x)

-- A child process, in which only the calling Haskell thread goes on.
child :: [TVar Int] -> IO ()
child vars = do
  before <- atomically (mapM readTVar vars)
  pid <- forkProcess $ do
    mapM_ (atomically . move vars) [0 .. 100]
    after <- atomically (mapM readTVar vars)
    unless (sum after == sum before) exitFailure
  status <- getProcessStatus True False pid
  unless (status == Just (Exited ExitSuccess)) (error (show status))

main :: IO ()
main = do
  _ <- newStablePtr =<< myThreadId -- it can be reached, even if nothing else can go on
  rounds <- read . head <$> getArgs
  _ <- forkIO (forever (threadDelay 5000 >> performMajorGC))
  vars <- replicateM 3 (newTVarIO 0)
  [a, b] <- replicateM 2 (newTVarIO 0)
  forM_ [1, 3, 2] $ \capabilities -> do
    setNumCapabilities capabilities -- more often, among busy threads, GHC 9.0 sometimes hangs by itself
    mapM_ (atomically . move vars) [0 .. 100]
  let each fork act = do
        end <- newEmptyMVar
        _ <- fork (forM_ [1 .. rounds :: Int] act `finally` putMVar end ())
        pure end
  ends <-
    sequence $
      [each fork (\i -> forM_ [i .. i + 20] (atomically . move vars)) | fork <- [forkIO, forkIO, forkOS]]
        ++ [ each forkIO (raising vars),
             each forkIO (const (shot vars)),
             each forkIO (const (late a)),
             each forkOS (const (late b)),
             each forkIO (const (forM_ [1 .. 50 :: Int] (const (atomically (together a b))))),
             each forkIO (\i -> when (i `mod` 10 == 0) stuck),
             each forkIO (const zombie)
           ]
  mapM_ takeMVar ends
  child vars
  sums <- atomically (mapM readTVar vars)
  print (sum sums)
