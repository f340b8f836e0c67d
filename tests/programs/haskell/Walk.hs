-- SPDX-License-Identifier: MIT
{-# LANGUAGE MagicHash, UnboxedTuples #-}
-- | Where functions are, and what is on the stack.
module Walk (walk, function) where

import GHC.Exts

-- | Prints the number, and what is on the stack.
foreign import ccall unsafe "walk_haskell_stack" walk :: Int -> IO ()

-- | Prints the name, and the return address of a call that ends where the function's code begins: one more than the
-- address of that. In front of the code is a table of 16 bytes, which GHC gives the address of.
function :: String -> a -> IO ()
function name value = case seq value (unpackClosure# value) of
  (# table, _, _ #) -> putStrLn (name ++ " " ++ show (Ptr (plusAddr# table 17#)))
{-# NOINLINE function #-}
