-- The jobs of a daemon that uploads, as in cachix before its pull request 720: a map of all jobs in one TVar. Each worker
-- writes it whenever a job of its own has come a step further, and so makes the others' transactions fail. With "fixed",
-- each job has a TVar of its own, as each key has in the maps of stm-containers.
import Control.Concurrent.STM
import Control.Monad
import qualified Data.Map.Strict as Map
import Meeting
import System.Environment

type JobId = Int

data Job = Job {uploaded :: !Int, size :: !Int}

type Jobs = TVar (Map.Map JobId Job)

type SplitJobs = Map.Map JobId (TVar Job)

jobCount :: Int
jobCount = 100

advance :: Int -> Job -> Job
advance bytes job = job {uploaded = min (size job) (uploaded job + bytes)}

updateJob :: STM () -> Jobs -> JobId -> (Job -> Job) -> STM ()
updateJob others jobs job change = do
  all' <- readTVar jobs
  others
  writeTVar jobs $! Map.adjust change job all'
{-# NOINLINE updateJob #-}

updateSplitJob :: STM () -> SplitJobs -> JobId -> (Job -> Job) -> STM ()
updateSplitJob others jobs job change = do
  let var = jobs Map.! job
  before <- readTVar var
  others
  writeTVar var $! change before
{-# NOINLINE updateSplitJob #-}

-- The size of the next chunk to upload. Each worker has a queue of its own.
takeChunk :: TVar [Int] -> STM Int
takeChunk chunks = do
  next <- readTVar chunks
  writeTVar chunks (drop 1 next)
  pure (sum (take 1 next))
{-# NOINLINE takeChunk #-}

main :: IO ()
main = do
  [form, rounds] <- getArgs
  let new = Map.fromList [(job, Job 0 1000000) | job <- [0 .. jobCount - 1]]
  jobs <- newTVarIO new
  splitJobs <- mapM newTVarIO new
  queues <- replicateM 2 (newTVarIO (cycle [4096, 512]))
  twoWorkers (read rounds) $ \worker number -> do
    chunk <- atomically (takeChunk (queues !! name worker))
    let job = (2 * number + name worker) `mod` jobCount
    if form == "faulty"
      then atomically (updateJob (meet worker number) jobs job (advance chunk))
      else atomically (updateSplitJob (meet worker number) splitJobs job (advance chunk))
  total <- if form == "faulty" then readTVarIO jobs else mapM readTVarIO splitJobs
  print (sum (map uploaded (Map.elems total)))
