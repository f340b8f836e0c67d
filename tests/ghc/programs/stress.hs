-- All that ends transactions in other ways than a commit, at once, for ROUNDS rounds: timeouts, exceptions from other
-- threads, transactions that can never go on, a changing number of capabilities, bound threads and collections.
-- Prints what the TVars sum up to.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import Foreign.StablePtr
import System.Environment
import System.Mem
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
             each forkIO (\i -> when (i `mod` 10 == 0) stuck)
           ]
  mapM_ takeMVar ends
  sums <- atomically (mapM readTVar vars)
  print (sum sums)
