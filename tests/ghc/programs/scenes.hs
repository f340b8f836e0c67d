{-# LANGUAGE ForeignFunctionInterface #-}
-- The scenes of tests/programs/scenes_*.c, whose transactions are Haskell's: the functions of
-- tests/programs/support/total.h. Their main() has another name (scenes_play), since the RTS has its own.
module Main (main, total_add, total_read) where

import Control.Concurrent.STM
import Data.Word
import Foreign
import Foreign.C
import System.Environment
import System.Exit
import System.IO.Unsafe

foreign import ccall safe "scenes_play" scenesPlay :: CInt -> Ptr CString -> IO CInt

foreign export ccall total_add :: Word64 -> IO ()

foreign export ccall total_read :: IO Word64

{-# NOINLINE total #-}
total :: TVar Word64
total = unsafePerformIO (newTVarIO 0)

total_add :: Word64 -> IO ()
total_add amount = atomically (modifyTVar' total (+ amount))

total_read :: IO Word64
total_read = atomically (readTVar total)

main :: IO ()
main = do
  arguments <- (:) <$> getProgName <*> getArgs
  strings <- mapM newCString arguments
  status <- withArray strings (scenesPlay (fromIntegral (length strings)))
  exitWith (if status == 0 then ExitSuccess else ExitFailure (fromIntegral status))
