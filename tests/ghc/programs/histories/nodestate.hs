-- The state of a node, as in ouroboros-consensus before its pull request 2032: one record in one TVar. One worker adds
-- blocks to the chain, and the other one notes what its peers ask for. They write different fields, and yet make each
-- other's transactions fail. With "fixed", each field is a TVar.
import Control.Concurrent.STM
import qualified Data.IntMap.Strict as IntMap
import qualified Data.Set as Set
import Meeting
import System.Environment

type Block = Int

type Peer = Int

data NodeState = NodeState
  { chain :: !(Set.Set Block)
  , requests :: !(IntMap.IntMap Peer)
  }

data SplitState = SplitState
  { chainVar :: TVar (Set.Set Block)
  , requestsVar :: TVar (IntMap.IntMap Peer)
  }

keptMax :: Int
keptMax = 64

addBlock :: STM () -> TVar NodeState -> Block -> STM ()
addBlock others node block = do
  state <- readTVar node
  others
  writeTVar node $! state {chain = withBlock block (chain state)}
{-# NOINLINE addBlock #-}

noteRequest :: STM () -> TVar NodeState -> Peer -> Block -> STM ()
noteRequest others node peer block = do
  state <- readTVar node
  others
  writeTVar node $! state {requests = withRequest peer block (requests state)}
{-# NOINLINE noteRequest #-}

addBlockApart :: STM () -> SplitState -> Block -> STM ()
addBlockApart others node block = do
  blocks <- readTVar (chainVar node)
  others
  writeTVar (chainVar node) $! withBlock block blocks
{-# NOINLINE addBlockApart #-}

noteRequestApart :: STM () -> SplitState -> Peer -> Block -> STM ()
noteRequestApart others node peer block = do
  asked <- readTVar (requestsVar node)
  others
  writeTVar (requestsVar node) $! withRequest peer block asked
{-# NOINLINE noteRequestApart #-}

withBlock :: Block -> Set.Set Block -> Set.Set Block
withBlock block = Set.insert block . Set.delete (block - keptMax)

withRequest :: Peer -> Block -> IntMap.IntMap Peer -> IntMap.IntMap Peer
withRequest peer block = IntMap.insert (block `mod` keptMax) peer

main :: IO ()
main = do
  [form, rounds] <- getArgs
  node <- newTVarIO (NodeState Set.empty IntMap.empty)
  split <- SplitState <$> newTVarIO Set.empty <*> newTVarIO IntMap.empty
  twoWorkers (read rounds) $ \worker number ->
    let others = meet worker number
        peer = number `mod` 7
     in atomically $ case (form, name worker) of
          ("faulty", 0) -> addBlock others node number
          ("faulty", _) -> noteRequest others node peer number
          (_, 0) -> addBlockApart others split number
          (_, _) -> noteRequestApart others split peer number
  state <- readTVarIO node
  blocks <- readTVarIO (chainVar split)
  print (Set.size (chain state) + Set.size blocks)
