-- Takes a lock in any mode if it is free for this request, or several locks if all are. Safe to repeat.
--
-- An exclusive request for several locks waits in the line of the first busy one. When a release gives it that lock and another
-- one is busy, the lock is reserved: the request keeps it, and waits for the other one. It passes on what comes after the lock
-- for which it waits, and all if that lock is only reserved or kept, or if it is the turn of a fair request there. So requests
-- that have reserved locks never wait for each other.
--
-- KEYS and ARGV[1], see shared.lua
-- ARGV[2]  packed: lease in ms; time that the locks stay taken at least in ms; highest token that the instance has seen;
--          lifetime of its waiter entry in ms, or 0 for no entry; permits of the semaphore, or 0; number of spare tokens,
--          which are reserved after the token of the answer; claim in ms, or 0 for a wake-up instead; delay in ms; number of
--          permits to take. A fair request is woken all the same; with a claim, its entry lasts as long as its instance
--          gives signs of life
-- ARGV[3]  'exclusive', 'fair', 'read' or 'semaphore'
-- ARGV[4]  'turn', or 'retake' to come before all waiters; then the end of this request counts only if it was revoked
-- ARGV[5]  an exclusive request of the same owner, which does not block this reader, or ''
-- Answer   the token, one for all, or
--          {2, token} if it is exclusive and others are in line
--          {0, remaining ms, holder's instance or '', index} the first busy lock, counted from 0; none is taken, but those before
--          it stay reserved; with 1 as a fifth value if the next release of that lock gives it to the request, or for
--          a fair request that was in line already and is woken when its turn comes, the time of the first sign of life of its
--          instance since none was late; then a fair request of the same instance, if the lock is free and it is its turn
--          -2 refused: the request has ended, or holds only some of the locks
--          -1 the sorted sets are needed
--          {1, permits, index} the lock is of another kind: a semaphore with so many permits, or no semaphore if 0; with 1 as a
--          fourth value if that number was set for all requests, and the request wants more permits than that
local ttl, keepFor, highest, waiting, permits, spare, claims, delay, take =
  struct.unpack('>I6I6I7I4I4I2I6I4I2', ARGV[2])
local mode, retakes, beside = ARGV[3], ARGV[4] == 'retake', ARGV[5]
local alone, inLine = mode == 'exclusive' or mode == 'fair', mode == 'exclusive' or mode == 'semaphore'

-- Returns whether the lock is in use as one of another kind. A lock without a token and without fair waiters has no kind.
local function isOfOtherKind(lock)
  if lock.fixed then
    return permits == 0
  elseif lock.permits == permits or (lock.token == 0 and count(lock.queue) == 0) then
    return false
  end
  return isInUse(lock)
end

-- Returns the number of permits that counts.
local function limit(lock)
  return lock.fixed and lock.permits or permits
end

-- Returns the latest deadline of the waiters that a reader must not overtake, if there are any.
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

-- Returns the reader or permit whose lease ends first, or last with REV.
local function outermost(lock, ...)
  local found = redis.call('ZRANGE', lock.holders, ...)
  return {deadline = tonumber(found[2]), holder = found[1]}
end

-- Returns the obstacle of an exclusive or fair request at a lock without an owner, if there is one.
local function writersObstacle(lock)
  if lock.shared == 0 then
    return nil
  elseif size(lock) > 0 then
    return outermost(lock, 0, 0, 'REV', 'WITHSCORES')
  elseif retakes then
    return nil
  elseif count(lock.admitted) > 0 then
    return {deadline = now + redis.call('PTTL', lock.admitted) + 1, admitted = true}
  end
  local next = head(lock)
  return next and next.request ~= request and next
end

-- Returns the obstacle, if there is one: its latest deadline and its contender.
local function obstacle(lock)
  local owner = lock.contender .. struct.pack('>I6', lock.number)
  if lock.own.live and not lock.own.alone then
    -- A contender has one request at a time. Otherwise two processes of one image would take the lock from each other.
    return {deadline = lock.own.deadline, holder = contender}
  elseif lock.held then
    local reserved, works = lock.kept == 0 and lock.keptFor > 0, lock.deadline > now
    return not (works and owner == beside) and {deadline = math.max(lock.deadline + lock.delay, lock.kept),
      holder = works and lock.contender, reserved = reserved}
  elseif lock.kept > now then
    return {deadline = lock.kept}
  elseif alone then
    return writersObstacle(lock)
  elseif mode == 'semaphore' then
    -- The permit with whose end enough of them are free.
    local missing = size(lock) + take - limit(lock)
    return missing > 0 and outermost(lock, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', missing - 1, 1, 'WITHSCORES')
  end
  return not retakes and writersUntil(lock)
end

-- All locks are read and checked before one of them is taken.
local locks, held, reserved, ended = {}, 0, 0, false
for i = 1, lockCount do
  local lock, failure = read(i)
  if failure then
    return failure
  end
  local own = lock.own
  lock.mine = own.number == number and own.live
  if lock.mine and own.alone and lock.kept == 0 and lock.keptFor > 0 then
    reserved = reserved + 1
  elseif lock.mine then
    held = held + 1
  elseif own.number >= order and (own.number ~= number or own.status == REVOKED or not retakes) then
    ended = true
  elseif isOfOtherKind(lock) then
    return {1, lock.permits, i - 1}
  elseif permits > 0 and take > limit(lock) then
    return {1, lock.permits, i - 1, 1}
  end
  locks[i] = lock
end
if ended or (held > 0 and held < #locks) then
  return -2
end

-- Returns a token that is larger than those of the locks, and than those that the instance has seen.
local function nextToken()
  local last = highest
  for _, lock in ipairs(locks) do
    last = math.max(last, lock.token)
  end
  return math.max(micros, last + 1)
end

if held == #locks or (reserved == 1 and #locks == 1) then
  -- A claim may have given the lock before the callers of the spare tokens came: they get new tokens.
  local token = spare > 0 and nextToken() or locks[1].own.token
  for _, lock in ipairs(locks) do
    local own = lock.own
    local deadline = math.max(own.deadline, now + ttl)
    -- A node that has missed renewals takes the next one with any marks.
    local mark = retakes and NO_MARK or own.mark
    -- A write that changes nothing. It passes when memory is used up, and then all others do.
    redis.call('HDEL', lock.key, '')
    local longer = mode ~= 'exclusive' or lock.shared > 0
    if own.alone then
      if lock.kept == 0 and lock.keptFor > 0 then
        lock.kept, lock.keptFor, lock.delay = now + keepFor, keepFor, delay
      end
      lock.token = math.max(lock.token, token + spare)
      lock.deadline, lock.lease, lock.mark = deadline, deadline - now, mark
    else
      hold(lock, deadline, own.token, mark, own.taken)
    end
    finish(lock, math.max(deadline + (own.alone and lock.delay or 0), lock.kept) - now + retention, longer)
  end
  return token
end

local busy, last, new = nil, 0, mode ~= 'read'
for i, lock in ipairs(locks) do
  -- The lease or the kept time has run out without a release, so no readers were admitted. That is noticed once.
  if lock.free and (isUnnoticed(lock) or lock.kept > 0) then
    if lock.shared > 0 and count(lock.readers) > 0 then
      admit(lock)
      forgetOwner(lock)
    elseif isUnnoticed(lock) then
      lock.deadline, lock.lease, lock.delay = 0, 0, 0
    end
    lock.kept, lock.keptFor = 0, 0
  end
  lock.obstacle = not lock.mine and obstacle(lock)
  busy = busy or (lock.obstacle and i)
  last, new = math.max(last, lock.token), new or lock.token == 0
end

-- Returns whether the request has an entry that counts in every queue. If not, it takes new tickets in all queues at once.
-- Otherwise two sets of locks could block each other for ever, each first in one queue.
local function hasPlaces()
  for _, lock in ipairs(locks) do
    if not counts((placeEnd(lock, request, redis.call('HMGET', lock.key, 'q' .. request)[1]))) then
      return false
    end
  end
  return true
end

-- Adds the waiter entry at its old position, or at the end if the line is not too long. That of a lock that others share is
-- shorter, since each command reads all of it. Returns whether the next release gives the lock to the request.
local function joinLine(lock)
  local place = leaveLine(lock)
  if place or #lock.line < (lock.shared > 0 and 64 or LONGEST) then
    local one = standing(waiting)
    one.claim, one.keeps, one.highest = claims, (keepFor + delay > 0 or lockCount > 1) and 1 or 0, highest
    table.insert(lock.line, place or #lock.line + 1, one)
    return lock.line[1] == one and claims > 0 and lock.shared == 0 and lock.kept <= now and lock.deadline > now and 1
  end
end

-- Adds the request to the readers that wait, and its instance to `wakes`.
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

-- Adds the request to the fair queue. It keeps its ticket if its entry still counts. Returns the time of the first sign of life
-- of its instance since none was late, if it was in line already: then it need not attempt while another one of its instance
-- does, and gets the same answer.
local function joinQueue(lock, inPlace)
  local ticket = inPlace and redis.call('ZSCORE', lock.queue, request)
  local keeps = ticket and claims > 0
  if not ticket then
    ticket = (redis.call('ZRANGE', lock.queue, 0, 0, 'REV', 'WITHSCORES')[2] or 0) + 1
  end
  local since = stand(lock, request, ticket, waiting, claims > 0)
  lock.permits = 0
  return keeps and since
end

-- Passes on a reserved lock. The request has not ended, only those before it have.
local function passOver(lock)
  lock.status, lock.number, lock.deadline, lock.lease, lock.kept, lock.keptFor = GONE, math.max(order - 1, 0), now, 0, 0, 0
  passOn(lock, true, 0)
end

if busy then
  local inPlace, isNext, ahead, found = mode == 'fair' and hasPlaces(), false, nil, locks[busy].obstacle
  -- A holder works and leaves, and admitted readers give way. A fair request may wait for a reserved lock, and requests that
  -- wait for each other's reserved locks one after the other would leave most locks idle.
  local stays = claims > 0 and (found.holder and not found.reserved or found.admitted)
  for i, lock in ipairs(locks) do
    -- This write changes nothing. A replica that used to be the primary answers READONLY to it instead of busy.
    redis.call('HDEL', lock.key, '')
    -- A reader that finds another lock of its set busy makes room. It would only keep out requests that can have this lock.
    if i ~= busy and mode == 'read' and lock.free and redis.call('ZREM', lock.admitted, request) > 0 then
      passOn(lock, false, 0)
    end
    if lock.mine and i < busy and stays then
      lock.deadline = math.max(lock.deadline, now + ttl)
      lock.lease, lock.least = lock.deadline - now, lock.deadline - now + retention
    elseif lock.mine then
      passOver(lock)
    elseif i ~= busy and claims > 0 then
      -- A release of this lock would have to be passed on.
      leaveLine(lock)
    end
    local waits = waiting > 0 and (i == busy or mode == 'fair')
    if waits then
      isNext = (inLine and joinLine or mode == 'read' and joinReaders or joinQueue)(lock, inPlace)
    end
    if i == busy and mode == 'fair' and claims > 0 and found.request then
      -- The lock is free, and another fair request is next: the one before it may have died, or a message was lost.
      ahead = string.sub(found.request, 1, 8) == instance and found.request
      wakeFair(lock, found, ahead or not found.asleep)
    end
    -- The key may be new, and has to outlive the entry.
    local longer = waits and not inLine
    finish(lock, longer and waiting + retention or 0, true)
  end
  return {0, found.deadline - now, found.holder and string.sub(found.holder, 1, 8) or '', busy - 1,
    isNext or ahead and 0 or nil, ahead or nil}
end

local token, contended = new and nextToken() or last, false
for _, lock in ipairs(locks) do
  local longer = mode ~= 'exclusive' or lock.shared > 0
  leave(lock)
  if inLine then
    leaveLine(lock)
  end
  if alone then
    own(lock, contender, number, ttl, keepFor, delay)
  else
    if lock.free then
      forgetOwner(lock)
    end
    hold(lock, now + ttl, token, NO_MARK, take)
  end
  -- All locks get this token, and none gets a smaller one after it.
  lock.token, lock.permits = math.max(lock.token, token + spare), limit(lock)
  contended = contended or mode == 'exclusive' and #lock.line > 0
  finish(lock, math.max(ttl + delay, keepFor) + retention, longer)
end
return contended and {2, token} or token
