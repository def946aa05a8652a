-- Ends a request whose outcome is unknown, or that got too few nodes of several or too few replicas: frees what it holds,
-- refuses it when it arrives later, and removes its waiter entry, unless its instance goes on waiting to have the lock
-- for itself, or its caller with another request that takes its place. Safe to repeat; works where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  packed: how long the waiter entry of the instance, or of the next request, counts in ms, or 0 for none
-- ARGV[3]  a fair request that comes before all that wait if the ended one was the owner, or ''
-- Answer   1 if the request held all, else 0; -1 if the sorted sets are needed
local waiting, successor = struct.unpack('>I4', ARGV[2]), ARGV[3]
local stays = waiting > 0 and successor == ''

-- Whether the next request has not ended itself meanwhile.
local function isToCome(lock)
  local other, last = struct.unpack('>c10I6', successor)
  local known = latest(lock, other, last)
  return known.number < last - last % 4096 or (known.number == last and known.status == HELD)
end

-- Ends the request, and whether it had the lock: alone, or otherwise.
local function stop(lock)
  local own = lock.own
  if own.number == number and own.status == HELD then
    if own.alone then
      -- An acquisition that was not used has run nothing: it is not kept either.
      lock.status, lock.deadline, lock.lease, lock.kept, lock.keptFor = GONE, now, 0, 0, 0
      lock.held = false
    else
      redis.call('ZREM', lock.holders, contender)
      noteEnd(lock, contender, number, GONE)
    end
    return own.alone, not own.alone
  elseif own.number < order and (own.alone or not own.live) then
    noteEnd(lock, contender, number, GONE)
  end
end

-- Removes the entries of the request, or of its instance where there are none.
local function takeBack(lock, named)
  if not leave(lock) and not named then
    leaveLine(lock, true)
  end
  if stays then
    leaveLine(lock)
    -- It waits behind those who do, readers wait on, and it needs no wake-up.
    table.insert(lock.line, standing(waiting))
  end
end

local function abandon(lock)
  local passes = successor ~= '' and isToCome(lock)
  local unnoticed = isUnnoticed(lock)
  local owned, shared = stop(lock)
  takeBack(lock, shared)
  local longer = not owned or isShared(lock)
  if owned and passes then
    -- It is the turn of no other request, so none is woken.
    local next = head(lock)
    stand(lock, successor, (next and next.ticket or 1) - 1, waiting)
  elseif not lock.held and lock.kept <= now then
    passOn(lock, owned and unnoticed and not stays, stays and 1 or 0)
  end
  finish(lock, waiting + retention, longer)
  return (owned or shared) and 1 or 0
end

return forEach(abandon)
