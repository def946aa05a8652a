-- Takes a lock in any mode if it is free for this request, or several if all are. Safe to repeat.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  packed: lease in ms, how long the locks stay taken at least in ms, highest token that the instance has seen, how
--          long its waiter entry counts in ms or 0 for none, permits of the semaphore or 0, spare tokens: how many behind
--          the one of the answer no other request gets, how long a claim lasts in ms or 0 to be woken instead
-- ARGV[3]  'exclusive', 'fair', 'read' or 'semaphore'
-- ARGV[4]  'turn', or 'retake' to come before all that wait, also if the request has ended but by force
-- ARGV[5]  a request of the same caller that has the lock alone and does not stand in the reader's way, or ''
-- Answer   the token, one for all, or
--          {2, token} if it is exclusive and other instances are in line
--          {0, remaining ms, holder's instance or '', index} the first busy lock, counted from 0; none is taken; with a fifth
--          value if the next release of it gives it to the request
--          -2 refused: the request has ended, or holds only some of the locks any more
--          -1 the sorted sets are needed
--          {1, permits, index} a lock of another kind lives there: a semaphore with so many permits, or none
local ttl, keepFor, highest, waiting, permits, spare, claims = struct.unpack('>I6I6I7I4I4I2I2', ARGV[2])
local mode, retakes, beside = ARGV[3], ARGV[4] == 'retake', ARGV[5]
local alone, inLine = mode == 'exclusive' or mode == 'fair', mode == 'exclusive' or mode == 'semaphore'

-- Whether the lock is in use as one of another kind. What was never held or queued for in order is of no kind.
local function isOfOtherKind(lock)
  if lock.permits == permits or (lock.token == 0 and count(lock.queue) == 0) then
    return false
  end
  return not lock.free or #lock.line > 0 or size(lock) + count(lock.queue) + count(lock.readers) + count(lock.admitted) > 0
end

-- Until when those wait at most that a reader must not overtake, if any do.
local function writersUntil(lock)
  if redis.call('ZSCORE', lock.admitted, request) then
    return nil
  end
  local first = head(lock)
  local last = first and first.deadline or 0
  for _, one in ipairs(lock.line) do
    last = math.max(last, one.deadline)
  end
  return last > 0 and {deadline = last}
end

-- The reader or permit whose lease ends last (REV), or first.
local function outermost(lock, ...)
  local found = redis.call('ZRANGE', lock.holders, ...)
  return {deadline = tonumber(found[2]), holder = found[1]}
end

-- What is in the way of a request that wants the lock alone, if it has no owner.
local function writersObstacle(lock)
  if lock.shared == 0 then
    return nil
  elseif size(lock) > 0 then
    return outermost(lock, 0, 0, 'REV', 'WITHSCORES')
  elseif retakes then
    return nil
  elseif count(lock.admitted) > 0 then
    return {deadline = now + redis.call('PTTL', lock.admitted) + 1}
  end
  local next = head(lock)
  return next and next.request ~= request and next
end

-- What is in the way, if anything is: until when at the latest, and whose it is.
local function obstacle(lock)
  local owner = lock.contender .. struct.pack('>I6', lock.number)
  if lock.own.live and not lock.own.alone then
    -- A contender has one request at a time, or two processes of one image would take the lock from each other.
    return {deadline = lock.own.deadline, holder = contender}
  elseif lock.held then
    return owner ~= beside and {deadline = math.max(lock.deadline, lock.kept), holder = lock.contender}
  elseif lock.kept > now then
    return {deadline = lock.kept}
  elseif alone then
    return writersObstacle(lock)
  elseif mode == 'semaphore' then
    return size(lock) >= permits and outermost(lock, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  end
  return not retakes and writersUntil(lock)
end

-- All is read and decided before anything is written.
local locks, held, ended = {}, 0, false
for i = 1, lockCount do
  local lock, failure = read(i)
  if failure then
    return failure
  end
  local own = lock.own
  if own.number == number and own.live then
    held = held + 1
  elseif own.number >= order and (own.number ~= number or own.status == REVOKED or not retakes) then
    ended = true
  elseif isOfOtherKind(lock) then
    return {1, lock.permits, i - 1}
  end
  locks[i] = lock
end
if ended or (held > 0 and held < #locks) then
  return -2
end

-- A token that is larger than those that the locks have had, and that the instance has seen.
local function nextToken()
  local last = highest
  for _, lock in ipairs(locks) do
    last = math.max(last, lock.token)
  end
  return math.max(micros, last + 1)
end

if held > 0 then
  -- The request may have got the lock by a claim, before the callers asked for whom the spare tokens are.
  local token = spare > 0 and nextToken() or locks[1].own.token
  for _, lock in ipairs(locks) do
    local own = lock.own
    local deadline = math.max(own.deadline, now + ttl)
    -- A node that has missed renewals takes the next one, whatever its marks are.
    local mark = retakes and NO_MARK or own.mark
    -- Changes nothing, but passes when memory is used up; after it all writes do.
    redis.call('HDEL', lock.key, '')
    local longer = mode ~= 'exclusive' or lock.shared > 0
    if own.alone then
      lock.token = math.max(lock.token, token + spare)
      lock.deadline, lock.lease, lock.mark = deadline, deadline - now, mark
    else
      hold(lock, deadline, own.token, mark)
    end
    finish(lock, math.max(deadline, lock.kept) - now + retention, longer)
  end
  return token
end

local busy, last, new = nil, 0, mode ~= 'read'
for i, lock in ipairs(locks) do
  -- The owner has not released it, or it was kept, so that no readers were admitted. It is noticed once.
  if lock.free and (isUnnoticed(lock) or lock.kept > 0) then
    if lock.shared > 0 and count(lock.readers) > 0 then
      admit(lock)
      forgetOwner(lock)
    elseif isUnnoticed(lock) then
      lock.deadline, lock.lease = 0, 0
    end
    lock.kept, lock.keptFor = 0, 0
  end
  lock.obstacle = obstacle(lock)
  busy = busy or (lock.obstacle and i)
  last, new = math.max(last, lock.token), new or lock.token == 0
end

-- Whether the request has its place in every line. One that has lost a place takes new ones in all at once: otherwise two
-- sets of locks could be before each other, each in one line, for ever.
local function hasPlaces()
  for _, lock in ipairs(locks) do
    local place = redis.call('HMGET', lock.key, 'q' .. request)[1]
    if not counts(struct.unpack(PLACE, place or string.rep('\0', 6))) then
      return false
    end
  end
  return true
end

-- In its old place, or behind the others while there are not too many. Answers whether the next release gives it the lock.
local function joinLine(lock)
  local place = leaveLine(lock)
  if place or #lock.line < 64 then
    local one = standing(waiting)
    one.sequence, one.claim, one.highest = string.sub(request, 9), claims, highest
    table.insert(lock.line, place or #lock.line + 1, one)
    return lock.line[1] == one and claims > 0 and lock.shared == 0 and lock.kept <= now
  end
end

-- Waits as a reader.
local function joinReaders(lock)
  redis.call('ZADD', lock.readers, now + waiting, request)
  lock.shared = 1
  for i = 1, #lock.wakes, 8 do
    if string.sub(lock.wakes, i, i + 7) == instance then
      return
    end
  end
  lock.wakes = lock.wakes .. instance
end

-- Waits in order. It keeps its place if it comes in time.
local function joinQueue(lock, inPlace)
  local ticket = redis.call('ZSCORE', lock.queue, request)
  if not inPlace or not ticket then
    ticket = (redis.call('ZRANGE', lock.queue, 0, 0, 'REV', 'WITHSCORES')[2] or 0) + 1
  end
  stand(lock, request, ticket, waiting)
  lock.permits = 0
end

if busy then
  local inPlace, isNext = mode == 'fair' and hasPlaces(), false
  for i, lock in ipairs(locks) do
    -- Changes nothing, but a replica that used to be the primary answers READONLY instead of busy.
    redis.call('HDEL', lock.key, '')
    -- A reader that finds another lock of its set busy makes room: it would only keep out those that can have this one.
    if i ~= busy and mode == 'read' and lock.free and redis.call('ZREM', lock.admitted, request) > 0 then
      passOn(lock, false, 0)
    end
    local waits = waiting > 0 and (i == busy or mode == 'fair')
    if waits then
      isNext = (inLine and joinLine or mode == 'read' and joinReaders or joinQueue)(lock, inPlace)
    end
    -- There may have been no key.
    local longer = waits and not inLine
    finish(lock, longer and waiting + retention or 0, true)
  end
  local found = locks[busy].obstacle
  return {0, found.deadline - now, found.holder and string.sub(found.holder, 1, 8) or '', busy - 1, isNext and 1 or nil}
end

local token, contended = new and nextToken() or last, false
for _, lock in ipairs(locks) do
  local longer = mode ~= 'exclusive' or lock.shared > 0
  leave(lock)
  if inLine then
    leaveLine(lock)
  end
  if alone then
    own(lock, contender, number, ttl, keepFor)
  else
    if lock.free then
      forgetOwner(lock)
    end
    hold(lock, now + ttl, token, NO_MARK)
  end
  -- All get one token, and none gets a smaller one after it.
  lock.token, lock.permits = math.max(lock.token, token + spare), permits
  contended = contended or mode == 'exclusive' and #lock.line > 0
  finish(lock, math.max(ttl, keepFor) + retention, longer)
end
return contended and {2, token} or token
