-- Functions for locks of all modes. LockScript prepends them to acquire, release, abandon, raise, extend, force and
-- permits.lua, after state.lua, foreign.lua and holders.lua.
--
-- read() returns a lock as a table of the fields of `state`, and:
--   held      a request has the lock alone, and neither its lease nor the delay after that is over
--   free      not held and not kept; readers or permits may still have it
--   shared    1 for a semaphore or if there are sorted sets, else 0
--   fixed     the number of permits was set for all requests
--   own       the last known request of the contender that sent this command, see latest()
--   line      the waiter entries that count
-- The holders and waiters change like this:
--   owner     own() sets it, for an acquisition or a claim. Its end is RELEASED by release.lua, REVOKED by force.lua, or GONE
--             by abandon.lua or by the next acquisition after its lease ran out.
--   reader or permit   hold() adds it to `holders`. At its end it leaves the set, and by<contender> gets the status.
--   waiter    acquire.lua adds it. passOn() wakes an instance or a fair request, admits readers, or gives the lock (claim).
-- Read this first:
-- - Functions change the table, and the sorted sets at once. finish() writes the table to the hash, then sends the wake-ups.
--   Only the message of a claim goes out before that.
-- - A contender has one request for a lock at a time, with growing numbers. So its last request stands for all earlier ones.
-- - An expiry is no event. A later command notices it, so the status can be HELD after the lease ran out.
-- - The server's clock may go back. So no lease lasts longer than it was set for, and no waiter entry longer than a minute.
-- - The server does nothing else meanwhile. So functions read and prune most sets a part at a time.
-- - Without the sorted sets, read() returns SENT_ON for a lock that needs them. The store then sends the command with them.
--
-- KEYS     the hashes of the locks, in one slot, none twice; then four sorted sets for each of them, or none. While a slot
--          of a cluster moves, a script is refused if one of its keys is not there. So sets that are hardly needed are left
--          out.
--   queue     fair requests by ticket; the field q<request> of the hash has the deadline of the entry. Without one (0) the
--             entry lasts as long as its instance gives signs of life. Each attempt of a fair request of the instance is one;
--             the field i<instance> has the end of the last one, and the time of the first one since none was late. The entry
--             has that time too, so it does not count any more once a sign was late. If it is woken, it gets the end of the
--             last sign as its deadline
--   holders   contenders that read or have permits, by deadline, see holders.lua; their requests are in by<contender>
--   readers   requests of readers that wait, by deadline of the entry; the field `wakes` has each of their instances once,
--             since the last admission of readers, or since none waited
--   admitted  requests of readers that come before the next exclusive or fair request; they do while the key lasts
-- ARGV[1]  packed: contender and number, retention in ms, length in bytes of the key prefix, which wake-ups leave out,
--          number of locks
local PLACE, PHASE, SENT_ON, FOREVER = '>I6I6', 999, -1, 1200000 * 86400000
local SETS = {'queue', 'holders', 'readers', 'admitted'}
local request = string.sub(ARGV[1], 1, 16)
local contender, number, retention, prefix, lockCount = struct.unpack('>c10I6I6I2I2', ARGV[1])
if #KEYS == 0 or (#KEYS ~= lockCount and #KEYS ~= 5 * lockCount) then
  return redis.error_reply('LOCKKEYS The script got ' .. #KEYS .. ' keys for ' .. lockCount .. ' locks')
end
local instance, order = string.sub(contender, 1, 8), number - number % 4096
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

-- Notes a field to set, or to delete if there is no value.
local function put(lock, name, value)
  local list = value and lock.fields or lock.stale
  list[#list + 1] = name
  list[#list + 1] = value
end

-- Returns the last known request of a contender; its number is -1 if none is known. The request in `state` comes first if
-- it has the number `certain`: the end of a later one by abandon.lua does not end it.
local function latest(lock, of, certain)
  local found = {number = -1}
  local value = redis.call('HMGET', lock.key, 'by' .. of)[1]
  if value then
    found.number, found.status, found.deadline, found.lease, found.token, found.mark, found.taken =
      struct.unpack(REGISTER, value)
    if found.status == HELD and not (lock.shared > 0 and redis.call('ZSCORE', lock.holders, of)) then
      -- The contender is not in the set, as after an eviction: another request may have had the lock.
      found.status, found.lost = GONE, true
    end
    found.number = (found.status == HELD or found.deadline + retention >= now) and found.number or -1
    found.deadline = math.min(found.deadline, now + found.lease)
  end
  if lock.contender == of and (lock.number == certain or lock.number - lock.number % 4096 + 4096 > found.number) then
    found = {alone = true, number = lock.number, status = lock.status, deadline = lock.deadline, token = lock.token,
      mark = lock.mark}
  end
  found.live = found.status == HELD and found.deadline > now
  return found
end

-- Returns whether a waiter entry counts. None does for more than a minute, three of the longest polls: a later deadline
-- means that the server's clock went back.
local function counts(deadline)
  return deadline > now and deadline <= now + 60000
end

-- Returns the waiter entries that count.
local function readLine(waiters)
  local line = {}
  for i = 1, #waiters, ENTRY do
    local one = {}
    one.instance, one.deadline, one.woken, one.sequence, one.claim, one.keeps, one.highest =
      struct.unpack(WAITER, waiters, i)
    if counts(one.deadline) then
      table.insert(line, one)
    end
  end
  return line
end

-- Notes the last request of a contender in by<contender>, if it is not the one in `state`.
local function note(lock, of, last, status, deadline, lease, token, mark, taken)
  put(lock, 'by' .. of, struct.pack(REGISTER, last, status, deadline, lease, token, mark, taken))
  lock.sweepAt = lock.sweepAt > 0 and lock.sweepAt or now + retention
  lock.later, lock.noted[of] = lock.later or lock.contender == of, true
end

local function noteEnd(lock, of, last, status)
  note(lock, of, last, status, now, 0, 0, NO_MARK, 0)
end

-- Notes the lease of a reader or of permits.
local function hold(lock, deadline, token, mark, taken)
  note(lock, contender, number, HELD, deadline, deadline - now, token, mark, taken)
  occupy(lock.holders, contender, taken, deadline)
  lock.shared = 1
end

-- Returns whether the owner has not released the lock, and no command has noticed yet that its lease ran out.
local function isUnnoticed(lock)
  return lock.status == HELD and lock.lease > 0
end

-- Ends an owner that has not released the lock: its late renewal or release does not count.
local function forgetOwner(lock)
  lock.status = lock.status == HELD and GONE or lock.status
end

-- Sets the status of a reader or permits in its field, and the lease if there is one. Returns the number of permits, or the
-- largest if the field is gone: a sweep may come before the holders of which there are many.
local function change(lock, holder, status, lease)
  local value = redis.call('HMGET', lock.key, 'by' .. holder)[1]
  if value then
    local last, _, deadline, _, token, mark, taken = struct.unpack(REGISTER, value)
    deadline = lease and now + lease or deadline
    redis.call('HSET', lock.key, 'by' .. holder,
      struct.pack(REGISTER, last, status, deadline, lease or 0, token, mark, taken))
    return taken
  end
  return 1000
end

-- Removes readers and permits whose leases have run out, at most 100 requests at a time.
local function pruneHolders(lock)
  for _, holder in ipairs(redis.call('ZRANGE', lock.holders, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)) do
    if #holder == #NONE then
      vacate(lock.holders, holder, change(lock, holder, GONE))
    end
  end
  -- If the server's clock went back, no lease lasts longer than it was set for.
  for _ = 1, 100 do
    local last = redis.call('ZRANGE', lock.holders, 0, 0, 'REV', 'WITHSCORES')
    local holder = string.sub(last[1] or '', 1, #NONE)
    local value = redis.call('HMGET', lock.key, 'by' .. holder)[1]
    local _, _, _, lease = struct.unpack(REGISTER, value or string.rep('\255', 32))
    if not last[1] or tonumber(last[2]) <= now + lease then
      return
    end
    occupy(lock.holders, holder, change(lock, holder, HELD, lease), now + lease)
  end
end

-- Returns the last sign of life of an instance.
local function sign(lock, of)
  if not lock.signs[of] then
    local till, since = struct.unpack(PLACE, redis.call('HMGET', lock.key, 'i' .. of)[1] or string.rep('\0', 12))
    lock.signs[of] = {till = till, since = since}
  end
  return lock.signs[of]
end

-- Returns the deadline of a fair request's entry, and whether it lasts as long as its instance gives signs of life.
local function placeEnd(lock, fair, value)
  local deadline, since = struct.unpack(PLACE, value or string.rep('\255', 12))
  if deadline > 0 then
    return deadline, false
  end
  local last = sign(lock, string.sub(fair, 1, 8))
  return last.since == since and last.till or 0, true
end

-- Returns the fair request that comes next. Removes those before it, whose entries do not count any more. It looks at about
-- 500 in one command: if there are more, no request comes next for a moment.
local function head(lock)
  while lock.pages <= 5 do
    local page, names, over = redis.call('ZRANGE', lock.queue, 0, lock.pages > 0 and 99 or 0, 'WITHSCORES'), {}, {}
    for i = 1, #page, 2 do
      table.insert(names, 'q' .. page[i])
    end
    local values, found = #page > 0 and redis.call('HMGET', lock.key, unpack(names)) or {}, nil
    for i, value in ipairs(values) do
      local deadline, asleep = placeEnd(lock, page[2 * i - 1], value)
      if counts(deadline) then
        found = {request = page[2 * i - 1], ticket = tonumber(page[2 * i]), deadline = deadline, asleep = asleep}
        break
      end
      over[i] = page[2 * i - 1]
    end
    if #over > 0 then
      redis.call('ZREM', lock.queue, unpack(over))
      redis.call('HDEL', lock.key, unpack(names, 1, #over))
    end
    if found or #page == 0 then
      return found
    end
    lock.pages, lock.ticket = lock.pages + 1, tonumber(page[#page])
  end
  return {deadline = now + 1, ticket = lock.ticket + 1}
end

local function count(set)
  return redis.call('ZCOUNT', set, '-inf', '+inf')
end

-- Returns the number of readers, or of permits that are taken.
local function size(lock)
  return redis.call('ZCOUNT', lock.holders, '(' .. now, '+inf')
end

-- Returns whether it is a semaphore, or there are sorted sets.
local function isShared(lock)
  return lock.permits > 0 or lock.queue and redis.call('EXISTS', lock.queue, lock.holders, lock.readers, lock.admitted) > 0
end

-- Returns whether the lock is held or kept, or requests wait for it.
local function isInUse(lock)
  return not lock.free or #lock.line > 0 or size(lock) + count(lock.queue) + count(lock.readers) + count(lock.admitted) > 0
end

-- Removes expired holders, fair requests and readers that wait; of the first two a limited number.
local function prune(lock)
  pruneHolders(lock)
  head(lock)
  redis.call('ZREMRANGEBYSCORE', lock.readers, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', lock.readers, '(' .. now + 60000, '+inf')
  if count(lock.admitted) > 0 and redis.call('PTTL', lock.admitted) > PHASE then
    redis.call('PEXPIRE', lock.admitted, PHASE)
  end
end

-- Prunes the sorted sets of a shared lock, and empties those of a lock that is not shared.
local function tidy(lock)
  if lock.shared > 0 then
    prune(lock)
    lock.shared = isShared(lock) and 1 or 0
  elseif lock.queue and isShared(lock) then
    -- A deleted hash has left them.
    for _, set in ipairs(SETS) do
      redis.call('ZREMRANGEBYSCORE', lock[set], '-inf', '+inf')
    end
  end
end

-- Removes tombstones, fair entries and signs of life that ended longer than the retention ago, some at a time.
local function sweep(lock)
  local from = redis.call('HMGET', lock.key, 'sweep')[1] or '0'
  local page = redis.call('HSCAN', lock.key, from, 'MATCH', '[bqi]*', 'COUNT', 100)
  for i = 1, #page[2], 2 do
    local name, value, ended = page[2][i], page[2][i + 1], nil
    if string.sub(name, 1, 1) == 'q' then
      ended = placeEnd(lock, string.sub(name, 2), value)
    else
      -- The position of the deadline in REGISTER, or in PLACE.
      ended = struct.unpack('>I6', value, string.sub(name, 1, 1) == 'b' and 8 or 1)
    end
    if ended + retention < now then
      put(lock, name)
    end
  end
  put(lock, 'sweep', page[1] ~= '0' and page[1] or nil)
  lock.sweepAt = page[1] ~= '0' and lock.sweepAt or now + retention
end

-- Returns a lock; or nil and an error, or nil and SENT_ON if the sorted sets are needed. A script that has to work where
-- memory is used up begins with a write that changes nothing (`writes`). It passes, then all others do, and a replica that
-- used to be the primary answers READONLY to it.
local function read(index, writes)
  local lock = {key = KEYS[index], fields = {}, stale = {}, messages = {}, woken = {}, noted = {}, signs = {}, pages = 0,
    least = 0}
  for i, set in ipairs(SETS) do
    lock[set] = KEYS[lockCount + 4 * (index - 1) + i]
  end
  local values = redis.pcall('HMGET', lock.key, 'state', 'waiters', 'wakes')
  local problem = hashProblem(lock.key, values)
  if problem then
    return nil, problem
  end
  lock.before, lock.waiters, lock.instances = values[1] or blank(), values[2] or '', values[3] or ''
  if writes then
    redis.call('HDEL', lock.key, '')
  end
  local _
  _, lock.status, lock.shared, lock.contender, lock.number, lock.deadline, lock.lease, lock.token, lock.mark, lock.kept,
    lock.keptFor, lock.sweepAt, lock.permits = struct.unpack(STATE, lock.before)
  lock.delay = 0
  if lock.status == HELD then
    lock.delay, lock.permits = lock.permits, 0
  end
  lock.fixed, lock.later, lock.shared = lock.shared > 3, lock.shared % 4 > 1, lock.shared % 2
  lock.line, lock.wakes = readLine(lock.waiters), lock.instances
  -- If the server's clock went back, no lease and no kept time lasts longer than it was set for.
  lock.deadline, lock.kept = math.min(lock.deadline, now + lock.lease), math.min(lock.kept, now + lock.keptFor)
  lock.held = lock.status == HELD and lock.deadline + lock.delay > now
  lock.free = not lock.held and lock.kept <= now
  if lock.shared > 0 and not lock.queue then
    return nil, SENT_ON
  end
  local done, failure = pcall(tidy, lock)
  if not done then
    local said = redis.error_reply(type(failure) == 'table' and failure.err or failure)
    return nil, setProblem(lock.queue, lock.holders, lock.readers, lock.admitted) or said
  end
  if lock.shared == 0 or count(lock.readers) == 0 then
    lock.wakes = ''
  end
  if lock.sweepAt > 0 and (lock.sweepAt <= now or lock.sweepAt > now + retention) then
    sweep(lock)
  end
  lock.own = latest(lock, contender, number)
  return lock
end

-- Notes that a fair request waits with a ticket: for a time, or as long as its instance gives signs of life. This is one.
-- Returns the time of the first one since none was late.
local function stand(lock, fair, ticket, waiting, withInstance)
  redis.call('ZADD', lock.queue, ticket, fair)
  local since = 0
  if withInstance then
    local last = sign(lock, instance)
    since = counts(last.till) and last.since or now
    lock.signs[instance] = {till = now + waiting, since = since}
    put(lock, 'i' .. instance, struct.pack(PLACE, now + waiting, since))
    lock.sweepAt = lock.sweepAt > 0 and lock.sweepAt or now + retention
  end
  put(lock, 'q' .. fair, struct.pack(PLACE, withInstance and 0 or now + waiting, since))
  lock.shared = 1
  return since
end

-- Removes the request from the fair queue, waiting readers and admitted readers. Returns whether it was in one of them.
local function leave(lock)
  if lock.shared == 0 then
    return false
  end
  put(lock, 'q' .. request)
  return redis.call('ZREM', lock.queue, request) + redis.call('ZREM', lock.readers, request)
    + redis.call('ZREM', lock.admitted, request) > 0
end

-- Returns a waiter entry of the request, without a claim.
local function standing(waiting)
  return {instance = instance, deadline = now + waiting, woken = 0, sequence = string.sub(request, 9), claim = 0, keeps = 0,
    highest = 0}
end

-- Removes the waiter entry of the contender, but not that of a later request if that one is to stay. Returns its position,
-- if there was one.
local function leaveLine(lock, laterStays)
  local others, place = {}, nil
  for _, one in ipairs(lock.line) do
    local heir, its = struct.unpack('>c10I6', one.instance .. one.sequence)
    if heir == contender and not (laterStays and its >= order + 4096) then
      place = #others + 1
    else
      table.insert(others, one)
    end
  end
  lock.line = others
  return place
end

-- Notes that an instance, or a fair request, is to be woken when all is written.
local function wake(lock, id)
  table.insert(lock.messages, id)
end

-- Wakes a fair request, which has to attempt before the last sign of its instance ends. Sends no message if that is known.
local function wakeFair(lock, one, known)
  if one.asleep then
    put(lock, 'q' .. one.request, struct.pack(PLACE, sign(lock, string.sub(one.request, 1, 8)).till, 0))
  end
  if not known then
    wake(lock, one.request)
  end
end

-- Admits the readers that wait: they come before the next exclusive or fair request. They have a second, since Redis
-- expires a key only after more than its time to live of 999 ms.
local function admit(lock)
  if count(lock.admitted) > 0 then
    redis.call('ZUNIONSTORE', lock.admitted, 2, lock.admitted, lock.readers)
    redis.call('ZREMRANGEBYSCORE', lock.readers, '-inf', '+inf')
  else
    redis.call('RENAME', lock.readers, lock.admitted)
  end
  redis.call('PEXPIRE', lock.admitted, PHASE)
  for i = 1, #lock.wakes, 8 do
    table.insert(lock.woken, string.sub(lock.wakes, i, i + 7))
  end
  lock.wakes = ''
end

local function hex(bytes)
  return (string.gsub(bytes, '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end))
end

-- Sends a message to an instance, or to one of its requests, which may have got a token. Returns whether that was possible.
local function publish(lock, id, token)
  local channel, message = string.sub(lock.key, 1, prefix) .. '!wake:', string.sub(lock.key, prefix + 1)
  if #id > 8 then
    message = message .. '\n' .. hex(id)
  end
  if token then
    message = message .. string.format('\n%.0f', token)
  end
  -- A user who may not PUBLISH loses only the wake-up.
  return type(redis.pcall('PUBLISH', channel .. hex(string.sub(id, 1, 8)), message)) == 'number'
end

-- Makes a request the owner. The owner before it, if of another contender, gets a tombstone.
local function own(lock, owner, last, lease, keepFor, delay)
  -- A request that this command has already noted for that contender is later than the owner.
  if lock.contender ~= owner and lock.contender ~= NONE and not lock.noted[lock.contender] then
    local known = latest(lock, lock.contender)
    noteEnd(lock, lock.contender, known.number, known.lost and REVOKED or known.status == HELD and GONE or known.status)
  end
  lock.later = lock.later and lock.number == last
  lock.status, lock.contender, lock.number, lock.mark = HELD, owner, last, NO_MARK
  lock.deadline, lock.lease, lock.kept, lock.keptFor = now + lease, lease, keepFor > 0 and now + keepFor or 0, keepFor
  lock.delay = delay
end

-- Gives the lock to the request of a waiter entry, until that renews it or the claim ends. The message goes out before the
-- state is written. Returns false, and gives nothing, if there is no claim or no message can be sent.
local function claim(lock, one)
  local heir, its = struct.unpack('>c10I6', one.instance .. one.sequence)
  local token = math.max(micros, lock.token + 1, one.highest + 1)
  if one.claim == 0 or not publish(lock, one.instance .. one.sequence, token) then
    return false
  end
  own(lock, heir, its, one.claim, 0, 0)
  lock.keptFor = one.keeps
  lock.token, lock.held, lock.least = token, true, one.claim + retention
  return true
end

-- Takes the first entry of an instance that was not woken since its last attempt: gives it the lock by its claim, or else
-- wakes it. The woken entry stays, or readers would overtake it. It moves to the end of the line, so that an instance that
-- is late or dead is not woken again and again instead of others.
local function wakeFirst(lock, most)
  for i = 1, most do
    local one = lock.line[i]
    if one.woken == 0 then
      table.remove(lock.line, i)
      if not claim(lock, one) then
        wake(lock, one.instance)
        one.woken = 1
        table.insert(lock.line, one)
      end
      return
    end
  end
end

-- Serves the next waiter of a lock without an owner or with a free permit: wakes it, admits it or gives it the lock. After
-- a writer (`fromWriter`) readers come first. The last `withdrawn` instances in line are not woken.
local function passOn(lock, fromWriter, withdrawn)
  if lock.permits > 0 then
    if #lock.line > 0 and size(lock) < lock.permits then
      wake(lock, table.remove(lock.line, 1).instance)
    end
    return
  end
  local first = fromWriter and lock.shared > 0 and lock.line[1]
  local next = lock.shared > 0 and head(lock)
  if lock.shared > 0 and count(lock.readers) > 0 and (fromWriter or (not next and #lock.line == 0)) then
    admit(lock)
  elseif lock.shared == 0 or size(lock) + count(lock.admitted) == 0 then
    if not next then
      wakeFirst(lock, #lock.line - withdrawn)
    elseif next.request then
      wakeFair(lock, next)
    end
  end
  if first and first == lock.line[1] and first.claim > 0 then
    -- Its instance knows that it is next, and attempts seldom: wake it. Until it attempts, it keeps readers out for a
    -- second at most.
    first.deadline = math.min(first.deadline, now + PHASE + 1)
    wake(lock, first.instance)
  end
end

-- Returns the time for which the keys have to live: as long as the lock is held and remembered.
local function lifeNeeded(lock)
  local last = lock.shared > 0 and redis.call('ZRANGE', lock.holders, 0, 0, 'REV', 'WITHSCORES')[2] or 0
  return math.max(now, lock.deadline + lock.delay, lock.kept, last) - now + retention
end

-- Returns the time to live of the keys, or that which they need if they have lost it, as by PERSIST.
local function lifeBefore(lock)
  local left = redis.call('PTTL', lock.key)
  return left == -1 and lifeNeeded(lock) or left
end

-- Writes the changes, and sends the noted wake-ups. The keys of a lock live for `life` ms; with `longer` not less than
-- before.
local function finish(lock, life, longer)
  local waiters = {}
  for i, one in ipairs(lock.line) do
    waiters[i] = struct.pack(WAITER, one.instance, one.deadline, one.woken, one.sequence, one.claim, one.keeps,
      one.highest)
  end
  local line = table.concat(waiters)
  if line ~= lock.waiters then
    put(lock, 'waiters', line ~= '' and line or nil)
  end
  if lock.wakes ~= lock.instances then
    put(lock, 'wakes', lock.wakes ~= '' and lock.wakes or nil)
  end
  lock.shared = lock.shared > 0 and isShared(lock) and 1 or 0
  local shared = lock.shared + (lock.later and 2 or 0) + (lock.fixed and 4 or 0)
  local state = struct.pack(STATE, VERSION, lock.status, shared, lock.contender, lock.number, lock.deadline, lock.lease,
    lock.token, lock.mark, lock.kept, lock.keptFor, lock.sweepAt, lock.status == HELD and lock.delay or lock.permits)
  if state ~= lock.before then
    put(lock, 'state', state)
  end
  write('HDEL', lock.key, lock.stale)
  write('HSET', lock.key, lock.fields)
  if longer then
    life = math.max(lifeBefore(lock), life)
  end
  life = math.max(life, lock.least, lock.fixed and FOREVER or 0)
  redis.call('PEXPIRE', lock.key, life)
  if lock.shared > 0 then
    redis.call('PEXPIRE', lock.queue, life)
    redis.call('PEXPIRE', lock.holders, life)
    redis.call('PEXPIRE', lock.readers, life)
  end
  for _, id in ipairs(lock.messages) do
    publish(lock, id)
  end
  for _, id in ipairs(lock.woken) do
    publish(lock, id)
  end
end

-- Calls a function for each lock, once all are read and it is known that no other keys are needed. Returns the worst
-- answer: 0, else 2, else 1.
local function forEach(ends)
  local locks, failures, answer, failure = {}, {}, 1, nil
  for i = 1, lockCount do
    locks[i], failures[i] = read(i, true)
    if failures[i] == SENT_ON then
      return SENT_ON
    end
  end
  for i = 1, lockCount do
    -- A foreign value under one key must not stop the command for the others.
    if failures[i] then
      failure = failures[i]
    else
      local said = ends(locks[i])
      answer = (answer == 1 or said == 0) and said or answer
    end
  end
  return failure or answer
end
