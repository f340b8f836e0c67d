-- How far a build has come, as haskell-language-server counted it before its pull requests 2357 and 2453. Builders count
-- the rules that run, by file, and the files that are done. All counts are written at each begin and end of a rule,
-- though most of them do not change. Its authors found out by counting the retries of each named transaction, with
-- stm-stats (pull request 2421). With "fixed", each file has a TVar of its own, and common counts are written only if
-- they change.
import Control.Concurrent.STM
import Control.Monad
import qualified Data.Map.Strict as Map
import Meeting
import System.Environment

type File = Int

data Progress = Progress
  { todo, done :: TVar Int -- files
  , running :: TVar (Map.Map File Int) -- rules by file; the file is done when there are none
  , runningOf :: Map.Map File (TVar Int)
  }

files :: [File]
files = [0 .. 99]

-- One rule of each file runs all the time.
newProgress :: IO Progress
newProgress =
  Progress <$> newTVarIO (length files) <*> newTVarIO 0 <*> newTVarIO (Map.fromList [(file, 1) | file <- files])
    <*> (Map.fromList <$> forM files (\file -> (,) file <$> newTVarIO 1))

recordProgress :: STM () -> Progress -> File -> (Int -> Int) -> STM ()
recordProgress others progress file change = do
  rules <- readTVar (running progress)
  toBeDone <- readTVar (todo progress)
  areDone <- readTVar (done progress)
  others
  let before = Map.findWithDefault 0 file rules
      after = change before
  writeTVar (running progress) $! Map.insert file after rules
  writeTVar (todo progress) $! toBeDone + fromEnum (Map.notMember file rules)
  writeTVar (done progress) $! areDone + fromEnum (after == 0) - fromEnum (before == 0)
{-# NOINLINE recordProgress #-}

recordFile :: STM () -> Progress -> File -> (Int -> Int) -> STM (Int, Int)
recordFile others progress file change = do
  let rules = runningOf progress Map.! file
  before <- readTVar rules
  others
  writeTVar rules $! change before
  pure (before, change before)
{-# NOINLINE recordFile #-}

recordCounts :: Progress -> (Int, Int) -> STM ()
recordCounts progress (before, after) =
  when ((before == 0) /= (after == 0)) $
    modifyTVar' (done progress) (+ (fromEnum (after == 0) - fromEnum (before == 0)))
{-# NOINLINE recordCounts #-}

record :: String -> STM () -> Progress -> File -> (Int -> Int) -> IO ()
record "faulty" others progress file change = atomically (recordProgress others progress file change)
record _ others progress file change =
  atomically (recordFile others progress file change) >>= atomically . recordCounts progress

-- Two builders, each of which runs so many rules.
main :: IO ()
main = do
  [form, rules] <- getArgs
  progress <- newProgress
  twoWorkers (read rules) $ \worker number -> do
    let file = (2 * number + name worker) `mod` length files
    record form (meet worker (2 * number)) progress file (+ 1)
    record form (meet worker (2 * number + 1)) progress file (subtract 1)
