-- Ends a request whose outcome is unknown, or that got too few nodes or too few replicas. Frees the locks that it holds,
-- refuses it when it arrives later, and removes its waiter entry. An entry remains if its contender goes on waiting for an
-- exclusive lock, or if a fair caller goes on with its next request. Safe to repeat; works where memory is used up.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  packed: lifetime of the waiter entry of the instance, or of the next request, in ms; 0 for no entry
-- ARGV[3]  the next request of a fair caller, which comes before all waiters if the ended one was the owner; or ''
-- Answer   1 if the request held all, else 0; -1 if the sorted sets are needed
local waiting, successor = struct.unpack('>I4', ARGV[2]), ARGV[3]
local stays = waiting > 0 and successor == ''

-- Returns whether the next request has not ended meanwhile.
local function isToCome(lock)
  local other, last = struct.unpack('>c10I6', successor)
  local known = latest(lock, other, last)
  return known.number < last - last % 4096 or (known.number == last and known.status == HELD)
end

-- Ends the request. Returns whether it had the lock alone, and the permits that it had, or 1 for a reader.
local function stop(lock)
  local own = lock.own
  if own.number == number and own.status == HELD then
    if own.alone then
      -- No caller has used this acquisition, so the lock is neither kept nor closed for it.
      lock.status, lock.deadline, lock.lease, lock.kept, lock.keptFor = GONE, now, 0, 0, 0
      lock.held = false
    else
      vacate(lock.holders, contender, own.taken)
      noteEnd(lock, contender, number, GONE)
    end
    return own.alone, not own.alone and own.taken
  elseif own.number < order and (own.alone or not own.live) then
    noteEnd(lock, contender, number, GONE)
  end
end

-- Removes the entries of the request, or the entry of its instance if there are none.
local function takeBack(lock, named)
  if not leave(lock) and not named then
    leaveLine(lock, true)
  end
  if stays then
    leaveLine(lock)
    -- The instance waits behind the others. Readers are not admitted, and it needs no wake-up.
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
    -- The next request of the caller comes first, so no other one is woken.
    local next = head(lock)
    stand(lock, successor, (next and next.ticket or 1) - 1, waiting)
  elseif not lock.held and lock.kept <= now then
    for _ = 1, shared or 1 do
      passOn(lock, owned and unnoticed and not stays, stays and 1 or 0)
    end
  end
  finish(lock, waiting + retention, longer)
  return (owned or shared) and 1 or 0
end

return forEach(abandon)
