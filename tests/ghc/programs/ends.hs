{-# LANGUAGE ForeignFunctionInterface #-}
-- COUNT transactions, and then the end of the process image: none of these ways runs exit handlers. "interrupt" is what
-- a server does at SIGINT: main ends by UserInterrupt, after 5 more transactions of its own. The RTS handles some of the
-- signals: after these, "signal" commits 5 more.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import Foreign.C.Types
import System.Environment
import System.IO
import System.Posix.Process
import System.Posix.Signals
import System.Process

foreign import ccall "_exit" exitNow :: CInt -> IO ()

transact :: Int -> IO ()
transact count = do
  shared <- newTVarIO (0 :: Int)
  forM_ [1 .. count] $ \_ -> atomically (modifyTVar' shared (+ 1))

next :: Bool -> Maybe [(String, String)] -> Int -> IO ()
next isSought variables count = do
  program <- getExecutablePath
  executeFile program isSought [show count] variables

main :: IO ()
main = do
  count : ways <- getArgs
  transact (read count)
  variables <- getEnvironment
  case ways of
    [] -> pure ()
    ["now"] -> exitNow 3
    ["exec"] -> next False Nothing 20
    ["exec-sought"] -> next True Nothing 20
    ["exec-variables"] -> next False (Just variables) 20
    ["exec-both"] -> next True (Just variables) 20
    ["exec-twice"] -> getExecutablePath >>= \program -> executeFile program False ["30", "exec"] Nothing
    ["exec-fails"] -> do
      failed <- try (executeFile "/no/such/file" False [] Nothing)
      either (\e -> putStrLn (show (e :: IOException))) pure failed
      transact 5
    ["interrupt"] -> (raiseSignal sigINT >> forever (threadDelay 1000000)) `finally` transact 5
    ["signal", number] -> do
      raiseSignal (read number)
      when (read number == sigINT) (forever (threadDelay 1000000))
      transact 5
      putStrLn "survived"
    ["until-interrupted"] -> do
      putStrLn "begun" >> hFlush stdout
      forever (transact 1000 >> putStrLn "1000 more" >> hFlush stdout)
    ["child"] -> do
      child <- forkProcess (transact 40 >> next False Nothing 20)
      void (getProcessStatus True False child)
    ["process"] -> do
      program <- getExecutablePath
      callProcess program ["20"]
      transact 5
    _ -> error "no such way"
