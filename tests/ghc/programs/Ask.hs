-- Another Haskell thread does something in the middle of an attempt. The scheduler may end the attempt while it waits, since the
-- other thread has committed: so each answer has an MVar of its own, and none is left for the next question.
module Ask (Questions, answer, ask) where

import Control.Concurrent
import Control.Monad

type Questions question answer = MVar (question, MVar answer)

answer :: Questions question answer -> (question -> IO answer) -> IO ()
answer asked act = forever $ do
  (question, answered) <- takeMVar asked
  act question >>= putMVar answered

ask :: Questions question answer -> question -> IO answer
ask asked question = do
  answered <- newEmptyMVar
  putMVar asked (question, answered)
  takeMVar answered
