{-# LANGUAGE MagicHash, UnboxedTuples, UnliftedFFITypes #-}

-- SPDX-License-Identifier: MIT
-- | Names for reports of stmlog. Copy this file into your program. Without stmlog the names cost and do nothing.
module StmlogNames (atomicallyNamed, labelTVar) where

import Foreign.C.String (CString)
import Foreign.Ptr (FunPtr, Ptr, nullFunPtr, nullPtr)
import GHC.Conc (STM (..), TVar (..), atomically)
import GHC.Exts (MutableByteArray#, RealWorld, atomically#, touch#, unsafeCoerce#)
import GHC.Foreign (withCString)
import GHC.IO (IO (..), unsafePerformIO)
import GHC.IO.Encoding.Failure (CodingFailureMode (..))
import GHC.IO.Encoding.Types (TextEncoding)
import GHC.IO.Encoding.UTF8 (mkUTF8)

type Label = MutableByteArray# RealWorld -> CString -> IO ()

foreign import ccall unsafe "dlsym" look :: Ptr () -> CString -> IO (FunPtr (IO (FunPtr Label)))
foreign import ccall unsafe "dynamic" open :: FunPtr (IO (FunPtr Label)) -> IO (FunPtr Label)
foreign import ccall unsafe "dynamic" call :: FunPtr Label -> Label

-- | Of names, whatever the locale is. A surrogate, which UTF-8 has not, becomes a question mark.
encoding :: TextEncoding
encoding = mkUTF8 TransliterateCodingFailure

-- | stmlog's function that labels a TVar; null: the program runs without stmlog.
label :: FunPtr Label
label = unsafePerformIO (withCString encoding "stmlog_ghc_names" (look nullPtr) >>= begin)
  where begin found = if found == nullFunPtr then pure nullFunPtr else open found
{-# NOINLINE label #-}

-- | The TVar has this name in reports. At most 1,024 TVars have one at a time.
labelTVar :: TVar a -> String -> IO ()
labelTVar (TVar tvar) name
  | label == nullFunPtr = pure ()
  | otherwise = withCString encoding name (call label (unsafeCoerce# tvar))

{-# NOINLINE labelTVar #-}

-- | 'atomically', of a transaction that has this name in reports.
atomicallyNamed :: String -> STM a -> IO a
atomicallyNamed name action
  | label == nullFunPtr = atomically action
  | otherwise = foldr seq () name `seq` below (StmlogTransaction name) action

-- | stmlog finds the name on the stack of the Haskell thread, directly below the transaction.
data Name = StmlogTransaction String

below :: Name -> STM a -> IO a
below name (STM action) = IO $ \s -> case atomically# action s of
  (# after, result #) -> case touch# name after of end -> (# end, result #)
{-# NOINLINE below #-}
