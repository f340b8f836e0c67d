{-# LANGUAGE ForeignFunctionInterface #-}

-- Makes a transaction meet the lock of another one, COUNT times. On a capability of its own `poke` writes two TVars, and
-- stops in its commit while it has locked the second one (hold.c). "locked": the victim's commit fails, and its next
-- attempt spins at the lock until it is let go. "read": the victim's first attempt spins. "momentary": the victim's commit
-- fails, and then `poke` turns out to be outdated itself. To be run with -N2, without a timer and with a large nursery:
-- the collector would wait for `poke`.
import Control.Concurrent
import Control.Concurrent.STM
import Control.Monad
import Data.IORef
import GHC.Conc (unsafeIOToSTM)
import System.Environment

foreign import ccall unsafe "hold_stop" holdStop :: IO ()

foreign import ccall safe "hold_await" holdAwait :: IO ()

foreign import ccall unsafe "hold_until_spinning" holdUntilSpinning :: IO ()

foreign import ccall unsafe "hold_release_at_failure" holdReleaseAtFailure :: IO ()

data Vars = Vars {first, second, own, other :: TVar Int}

once :: IORef Bool -> IO () -> STM ()
once isFirst act = unsafeIOToSTM $ do
  now <- atomicModifyIORef' isFirst ((,) False)
  when now act

poke :: Vars -> Int -> IO ()
poke vars value = atomically $ do
  writeTVar (first vars) value
  writeTVar (second vars) value
  unsafeIOToSTM holdStop

-- Its first attempt is outdated when it has locked both TVars, and the second one changes nothing.
vainPoke :: Vars -> Int -> IO ()
vainPoke vars value = do
  isFirst <- newIORef True
  outdated <- newIORef False
  atomically $ do
    again <- unsafeIOToSTM (readIORef outdated)
    unless again $ do
      writeTVar (first vars) value
      writeTVar (second vars) value
      _ <- readTVar (other vars)
      once isFirst $ do
        done <- newEmptyMVar
        _ <- forkIO (atomically (writeTVar (other vars) value) >> putMVar done ())
        takeMVar done
        writeIORef outdated True
      unsafeIOToSTM holdStop

victim :: String -> Vars -> IO () -> Int -> IO Int
victim scene vars begin value = do
  isFirst <- newIORef True
  atomically $ case scene of
    "read" -> do
      once isFirst (begin >> holdAwait >> holdUntilSpinning)
      readTVar (second vars)
    "locked" -> do
      before <- readTVar (second vars)
      once isFirst (begin >> holdAwait >> holdUntilSpinning)
      pure before
    _ -> do
      writeTVar (own vars) value
      before <- readTVar (second vars)
      once isFirst (begin >> holdAwait >> holdReleaseAtFailure)
      pure before

main :: IO ()
main = do
  [scene, count] <- getArgs
  vars <- Vars <$> newTVarIO 0 <*> newTVarIO 0 <*> newTVarIO 0 <*> newTVarIO 0
  asked <- newEmptyMVar
  done <- newEmptyMVar
  end <- newEmptyMVar
  _ <- forkOn 1 $ forever $ do
    value <- takeMVar asked
    (if scene == "momentary" then vainPoke else poke) vars value
    putMVar done ()
  _ <- forkOn 0 $ do
    forM_ [1 .. read count] $ \value -> do
      _ <- victim scene vars (putMVar asked value) value
      takeMVar done
    putMVar end ()
  takeMVar end
