-- Takes a lock if it is free for this request, or several if all are. Safe to repeat.
--
-- KEYS     the locks' hashes, in one slot, none twice. The fields of every lock:
--   m kind ('X', or 'S' of a semaphore)   o owner's request id   t last token   x deadline   l longest lease from any now
--   n newest mark of the last renewal, 8 digits
--   k kept until             f longest k from any now              e last released requests
--   a last abandoned or expired ones    w waiting instances, first come first
--   x and k are server milliseconds; e and a are ',' and 32 digits each, w is 16 digits and 13 of a deadline each, an s
--   where the instance listens on a sharded channel, and a w if it was woken since it asked last
-- Those of a lock that is shared or queued for; an id is a request's, and such a field is 'deadline:longest from any now:more':
--   r<id> a reader or permit and its token, once it was renewed ':' and its n    y there are such, and when readers look for dead ones
--   v<id> a waiting reader   g<id> one that may come in before the next writer   q<id> a fair waiter and its ticket
--   v and q end with an s as w does
--   z there are such         i last ticket    s as e, of readers and permits     p how many permits there are
-- ARGV[1]  request id, 32 digits, the instance's 16 first
-- ARGV[2]  lease in ms
-- ARGV[3]  how long the locks stay taken at least, in ms, or 0
-- ARGV[4]  highest token this instance has seen
-- ARGV[5]  how long the word, left where it is busy, that somebody waits is good, in ms, or 0 to leave none
-- ARGV[6]  retention in ms
-- ARGV[7]  'X' exclusive, 'F' fair, 'R' read, 'S' semaphore
-- ARGV[8]  how many permits the semaphore has, or 0
-- ARGV[9]  an exclusive request of the same owner that does not stand in the reader's way, or ''
-- ARGV[10] beginning of the wake-up channels, the instance follows
-- ARGV[11] how many bytes of a key its waiters are not told
-- ARGV[12] '' in turn, 'C' whoever waits, 'A' as well and also if the request has ended, 'Q' only to leave the word
-- ARGV[13] what is in the braces of sharded channels in the slot of the keys, or ''
-- ARGV[14] 's' if the instance listens there, or ''
-- Answer   {1, token} granted, one token for all
--          {0, remaining ms, holder's instance or '', index} the first busy lock, counted from 0; none is taken
--          {2} refused: the request has ended, or holds only some of the locks any more
--          {3, kind, index, permits} another kind of lock lives there, or one with another number of permits
local request, mode, permits, beside = ARGV[1], ARGV[7], tonumber(ARGV[8]), ARGV[9]
local ttl, keepFor, highest = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local waiting, instance = tonumber(ARGV[5]), string.sub(request, 1, 16)
local claims, again, joinsOnly = ARGV[12] == 'C' or ARGV[12] == 'A', ARGV[12] == 'A', ARGV[12] == 'Q'
local time = redis.call('TIME')
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
now, retention, channels, shard = math.floor(micros / 1000), tonumber(ARGV[6]), ARGV[10], ARGV[13]
local exclusive, inLine = mode == 'X' or mode == 'F', mode == 'X' or mode == 'S'

local function shareToo()
  share()

  -- The one that ends last, or first with a sign of -1; the lower id decides between two.
  local function outermost(list, sign)
    local found
    for _, one in ipairs(list) do
      local ahead = found and (one.deadline - found.deadline) * sign
      if not found or ahead > 0 or (ahead == 0 and one.id < found.id) then
        found = one
      end
    end
    return found
  end

  local function latest(list)
    return #list > 0 and outermost(list, 1).deadline or 0
  end

  function sharing.isLetIn(lock)
    for _, one in ipairs(lock.g) do
      if one.id == request then
        return true
      end
    end
  end

  -- Whom a reader must not overtake: nobody, if it has waited for the writer before.
  local function writerBefore(lock)
    if sharing.isLetIn(lock) then
      return nil
    end
    local last = latest(lock.q)
    for _, word in ipairs((words(lock.w or ''))) do
      last = math.max(last, tonumber(string.sub(word, 17, 29)))
    end
    return last > 0 and {deadline = last}
  end

  -- Reads what only a lock has that is shared or queued for.
  function sharing.look(key, lock)
    sharing.begin(lock)
    lock.a, lock.w, lock.y, lock.z = lock[9], lock[10], lock[11], lock[12]
    local name = (mode == 'F' and 'q' or 'r') .. request
    lock.s, lock.p, lock.i, lock.own = unpack(redis.call('HMGET', key, 's', 'p', 'i', name))
    lock.own = lock.own and sharing.parse(name, lock.own)
    local joins = mode == 'R' and lock[1] == 'X'
    if lock.free and (lock.z or (joins and sharing.isDue(lock)) or (not joins and lock.y)) then
      sharing.scan(key, lock)
    end
    -- Whoever had it has not released it, so that nobody has let the readers in.
    if lock.free and (lock[2] or lock[6]) and #lock.v > 0 then
      sharing.letReadersIn(lock)
    end
  end

  -- Whether the lock is in use as one of another kind.
  function sharing.isOther(lock)
    local kind = mode == 'S' and 'S' or 'X'
    if not lock[1] or (lock[1] == kind and (kind == 'X' or tonumber(lock.p) == permits)) then
      return false
    end
    return not lock.free or #words(lock.w or '') > 0 or #lock.r + #lock.v + #lock.g + #lock.q > 0
      or (lock[1] ~= 'X' and lock[1] ~= 'S')
  end

  -- What is in the way, if anything is: until when at the latest, and whose it is.
  function sharing.obstacle(lock)
    if lock.held then
      return lock[2] ~= beside and {deadline = math.max(lock.deadline, lock.kept), id = lock[2]}
    elseif lock.kept > now then
      return {deadline = lock.kept}
    elseif mode == 'S' then
      return #lock.r >= permits and outermost(lock.r, -1)
    elseif mode == 'R' then
      return not claims and writerBefore(lock)
    elseif #lock.r > 0 then
      return outermost(lock.r, 1)
    elseif claims then
      return nil
    elseif #lock.g > 0 then
      return {deadline = latest(lock.g)}
    end
    local next = sharing.head(lock)
    return next and next.id ~= request and {deadline = next.deadline}
  end

  -- Whether the request has its place in every line. Who has lost one takes new places in all at once: otherwise two
  -- sets of locks could be before each other, each in one line, for ever.
  function sharing.hasPlaces(locks)
    for _, lock in ipairs(locks) do
      if not lock.own or lock.own.deadline <= now then
        return false
      end
    end
    return true
  end

  -- Leaves the word that a reader or a fair one waits.
  function sharing.join(key, lock, inPlace)
    local one = {name = 'v' .. request, deadline = now + waiting, longest = waiting, more = '', changed = true}
    one.listens = ARGV[14]
    if mode == 'R' then
      table.insert(lock.v, one)
    else
      -- Whoever comes in time keeps its place.
      one.name, one.more = 'q' .. request, inPlace and lock.own.more or text(tonumber(lock.i or 0) + 1)
      table.insert(lock.q, one)
      put(lock, 'i', not inPlace and one.more)
      put(lock, 'm', 'X')
      put(lock, 'p', nil, lock.p)
    end
  end

  -- The request waits no more.
  function sharing.leave(lock, list)
    for i, one in ipairs(list) do
      if one.id == request then
        put(lock, one.name, nil, true)
        table.remove(list, i)
      end
    end
  end

  -- Whoever had it alone and has not released it never comes back.
  function sharing.forgetOwner(lock)
    lock.expired = (lock[2] and ',' .. lock[2] or '') .. lock.expired
    for i, name in pairs({[2] = 'o', [4] = 'x', [5] = 'l', [6] = 'k', [7] = 'f'}) do
      put(lock, name, nil, lock[i])
    end
    put(lock, 'n', nil, lock[2])
  end
end

-- All is read and decided before anything is written.
local locks, owned, ended, busy, shared = {}, 0, false, nil, false
local last, new, mark = 0, mode ~= 'R', ',' .. request
for i, key in ipairs(KEYS) do
  local lock = redis.call('HMGET', key, 'm', 'o', 't', 'x', 'l', 'k', 'f', 'e', 'a', 'w', 'y', 'z')
  -- If the server's clock went back, nothing lasts longer than it was taken for.
  lock.deadline = math.min(tonumber(lock[4] or 0), now + tonumber(lock[5] or 0))
  lock.kept = math.min(tonumber(lock[6] or 0), now + tonumber(lock[7] or 0))
  lock.held = lock[2] and lock.deadline > now
  lock.free = not lock.held and lock.kept <= now
  if mode ~= 'X' or lock[11] or lock[12] or (lock[1] and lock[1] ~= 'X') then
    if not shared then
      shareToo()
      shared = true
    end
    sharing.look(key, lock)
  end
  if lock[2] == request and (lock.held or not again) then
    owned = owned + 1
    ended = ended or not lock.held
  elseif lock.own and mode ~= 'F' and (lock.own.deadline > now or not again) then
    owned = owned + 1
    ended = ended or lock.own.deadline <= now
  elseif not again and (string.find(lock[8] or '', mark, 1, true) or string.find(lock[9] or '', mark, 1, true)
    or string.find(lock.s or '', mark, 1, true)) then
    ended = true
  elseif lock.r then
    if sharing.isOther(lock) then
      return {3, lock[1], i - 1, tonumber(lock.p or 0)}
    end
    lock.obstacle = sharing.obstacle(lock)
  elseif not lock.free then
    lock.obstacle = {deadline = math.max(lock.held and lock.deadline or 0, lock.kept), id = lock.held and lock[2]}
  end
  lock.obstacle = lock.obstacle or (joinsOnly and {deadline = now})
  busy = busy or (lock.obstacle and i)
  last = math.max(last, tonumber(lock[3] or 0))
  new = new or not lock[3]
  locks[i] = lock
end

if ended or (owned > 0 and owned < #KEYS) then
  return {2}
end
if owned > 0 then
  local own = locks[1][2] ~= request and locks[1].own
  for i, key in ipairs(KEYS) do
    local lock = locks[i]
    local deadline = math.max(own and lock.own.deadline or lock.deadline, now + ttl)
    -- First the write that passes when memory is used up.
    live(key, math.max(deadline, lock.kept) - now + retention, lock.r)
    if own then
      lock.own.deadline, lock.own.longest, lock.own.mark = deadline, deadline - now, not again and lock.own.mark
      redis.call('HSET', key, lock.own.name, sharing.entry(lock.own))
    else
      redis.call('HSET', key, 'x', text(deadline), 'l', text(deadline - now))
      if again then
        -- A node that has missed renewals takes the next one, whatever its marks are.
        redis.call('HDEL', key, 'n')
      end
    end
  end
  return {1, tonumber(own and own.more or locks[1][3])}
end

if busy then
  local key, lock = KEYS[busy], locks[busy]
  -- Changes nothing, but a replica that used to be the primary answers READONLY instead of busy.
  redis.call('HDEL', key, '')
  if lock.held and lock.deadline < tonumber(lock[4]) then
    redis.call('HSET', key, 'x', text(lock.deadline))
  end
  if lock.kept > now and lock.kept < tonumber(lock[6]) then
    redis.call('HSET', key, 'k', text(lock.kept))
  end
  if waiting > 0 and inLine then
    local good, position = words(lock[10] or '', instance)
    if position or #good < 64 then
      table.insert(good, position or #good + 1, instance .. string.format('%013.0f', now + waiting) .. ARGV[14])
      redis.call('HSET', key, 'w', table.concat(good))
    end
    if joinsOnly then
      -- There may have been no key.
      live(key, waiting + retention, true)
    end
  end
  local inPlace = shared and sharing.hasPlaces(locks)
  for i, other in ipairs(shared and KEYS or {}) do
    local seen = locks[i]
    if seen.woken then
      sharing.forgetOwner(seen)
    end
    local joins = waiting > 0 and not inLine and (i == busy or mode == 'F')
    if joins then
      sharing.join(other, seen, inPlace)
    end
    local message = string.sub(other, ARGV[11] + 1)
    -- A reader who finds another lock of its set busy makes room: it would only keep out those who can have this one.
    if seen.r and i ~= busy and seen.free and sharing.isLetIn(seen) then
      local line = words(seen.w or '')
      sharing.leave(seen, seen.g)
      sharing.passOn(other, seen, line, message, false)
      sharing.finish(other, seen, line, message)
    elseif seen.r then
      sharing.note(seen)
      write('HDEL', other, seen.stale)
      write('HSET', other, seen.fields)
      sharing.wakeReaders(seen, message)
    end
    if joins then
      live(other, waiting + retention, true)
    end
  end
  local found = lock.obstacle
  return {0, found.deadline - now, found.id and string.sub(found.id, 1, 16) or '', busy - 1}
end

local token = new and math.max(micros, highest + 1, last + 1) or last
for i, key in ipairs(KEYS) do
  local lock = locks[i]
  lock.stale, lock.expired = lock.stale or {}, (exclusive and lock[2] and ',' .. lock[2] or '') .. (lock.expired or '')
  if lock.r then
    sharing.leave(lock, lock.v)
    sharing.leave(lock, lock.g)
    sharing.leave(lock, lock.q)
  end
  if exclusive then
    lock.fields = {'m', 'X', 'o', request, 't', text(token), 'x', text(now + ttl), 'l', text(ttl)}
    put(lock, 'k', keepFor > 0 and text(now + keepFor), lock[6])
    put(lock, 'f', keepFor > 0 and text(keepFor), lock[7])
    put(lock, 'n', nil, lock[2])
  else
    if lock.free then
      sharing.forgetOwner(lock)
    end
    put(lock, 'm', mode == 'S' and 'S' or 'X')
    -- One token is told for all, and nobody may get a smaller one after it.
    put(lock, 't', tonumber(lock[3] or 0) < token and text(token))
    table.insert(lock.r, {name = 'r' .. request, deadline = now + ttl, longest = ttl, more = text(token), changed = true})
  end
  if lock[10] and inLine then
    local rest = table.concat((words(lock[10], instance)))
    put(lock, 'w', rest ~= '' and rest, true)
  end
  if lock.r then
    put(lock, 'p', mode == 'S' and ARGV[8], lock.p)
    sharing.note(lock)
    -- What it had before and takes again is not stale.
    for j = again and #lock.stale or 0, 1, -1 do
      if lock.stale[j] == 'r' .. request then
        table.remove(lock.stale, j)
      end
    end
  elseif lock.expired ~= '' then
    put(lock, 'a', string.sub(lock.expired .. (lock[9] or ''), 1, 64 * 33))
  end
  write('HSET', key, lock.fields)
  write('HDEL', key, lock.stale)
  live(key, math.max(ttl, keepFor) + retention, lock.r)
  if lock.woken then
    sharing.wakeReaders(lock, string.sub(key, ARGV[11] + 1))
  end
end
return {1, token}
