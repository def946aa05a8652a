-- Stands in front of every script: what they know of readers, permits and those who wait. See acquire.lua for the fields.
-- A lock is a table: a, w, y and z as they were read; fields to set and stale ones to delete; and, once it was looked
-- through, lists of the living readers or permits r, waiting readers v, readers who may come in g and fair waiters q.
local now, retention, channels, shard

local function text(number)
  return string.format('%.0f', number)
end

-- Adds a field to those to set, or to those to delete if it has no value any more.
local function put(lock, name, value, present)
  if value then
    lock.fields[#lock.fields + 1] = name
    lock.fields[#lock.fields + 1] = value
  elseif present then
    lock.stale[#lock.stale + 1] = name
  end
end

-- A key lives as long as anything in it and the retention. What is shared or queued for may last longer than what is
-- known here.
local function live(key, millis, shared)
  if shared then
    millis = math.max(redis.call('PTTL', key), millis)
  end
  redis.call('PEXPIRE', key, text(millis))
end

-- The words of waiting instances that are still good, without one instance's, and where that one stood. None is good for
-- more than a minute, three of the longest polls: if one seems to be, the clock went back.
local function words(waiters, instance)
  local good, position = {}, nil
  for word in string.gmatch(waiters, string.rep('%x', 29) .. 's?w?') do
    local left = tonumber(string.sub(word, 17, 29)) - now
    if string.sub(word, 1, 16) == instance then
      position = #good + 1
    elseif left > 0 and left <= 60000 then
      good[#good + 1] = word
    end
  end
  return good, position
end

-- In the way in which the waiter listens. The word of an instance says it at its end, until it was woken.
local function wake(id, message, listens)
  -- A user who may not publish loses the wake-up, nothing else.
  if (listens or string.sub(id, 30)) == 's' then
    redis.pcall('SPUBLISH', channels .. '{' .. shard .. '}:' .. string.sub(id, 1, 16), message)
  else
    redis.pcall('PUBLISH', channels .. string.sub(id, 1, 16), message)
  end
end

-- Whether marks are those of the process that has renewed the lease last, if any has: another one that was restored from
-- the same image makes the same request, but has other marks.
local function know(marks, kept)
  return not kept or string.find(marks, kept, 1, true)
end

-- In portions, because a script cannot hand over any number of values at once.
local function write(command, key, values)
  for i = 1, #values, 1000 do
    redis.call(command, key, unpack(values, i, math.min(i + 999, #values)))
  end
end

-- What only those need that are shared or queued for: to define it costs time in every call.
local sharing = {}
local function share()
  function sharing.entry(one)
    local mark = (one.mark or '') ~= '' and ':' .. one.mark or ''
    return text(one.deadline) .. ':' .. text(one.longest) .. ':' .. one.more .. (one.listens or '') .. mark
  end

  -- If the server's clock went back, nothing lasts longer than it was taken for.
  function sharing.parse(name, value)
    local deadline, longest, more, listens, mark = string.match(value, '^(%d+):(%d+):(%-?%d*)(s?):?(%x*)$')
    local one = {name = name, id = string.sub(name, 2), longest = tonumber(longest), more = more, listens = listens, mark = mark}
    one.deadline = math.min(tonumber(deadline), now + one.longest)
    one.changed = one.deadline < tonumber(deadline)
    return one
  end

  function sharing.begin(lock)
    lock.fields, lock.stale, lock.expired = {}, {}, ''
    lock.r, lock.v, lock.g, lock.q = {}, {}, {}, {}
  end

  -- Looks through all that have fields of their own. The dead go.
  function sharing.scan(key, lock)
    local all, expired = redis.call('HGETALL', key), {}
    for i = 1, #all, 2 do
      if #all[i] == 33 then
        local one, letter = sharing.parse(all[i], all[i + 1]), string.sub(all[i], 1, 1)
        if one.deadline > now then
          table.insert(lock[letter], one)
        else
          put(lock, one.name, nil, true)
          expired[#expired + 1] = letter == 'r' and ',' .. one.id or nil
        end
      end
    end
    table.sort(expired)
    lock.looked, lock.expired = true, table.concat(expired)
  end

  -- Readers need not know of each other, but somebody has to notice which of them are dead.
  function sharing.isDue(lock)
    return lock.y and (tonumber(lock.y) <= now or tonumber(lock.y) > now + 10000)
  end

  -- Whose turn it is of the fair waiters.
  function sharing.head(lock)
    local found
    for _, one in ipairs(lock.q) do
      if not found or tonumber(one.more) < tonumber(found.more) then
        found = one
      end
    end
    return found
  end

  -- Readers that waited while somebody had the lock for itself may come in before the next such; they have a second.
  function sharing.letReadersIn(lock)
    lock.woken, lock.v = lock.v, {}
    for _, one in ipairs(lock.woken) do
      put(lock, one.name, nil, true)
      table.insert(lock.g, {name = 'g' .. one.id, id = one.id, deadline = now + 1000, longest = 1000, more = '', changed = true})
    end
  end

  -- Puts down what has changed since, or by, the look.
  function sharing.note(lock)
    for _, list in ipairs({lock.r, lock.v, lock.g, lock.q}) do
      for _, one in ipairs(list) do
        put(lock, one.name, one.changed and sharing.entry(one))
      end
    end
    if lock.looked or (#lock.r > 0 and not lock.y) then
      put(lock, 'y', #lock.r > 0 and text(now + 10000), lock.y)
    end
    local waiting = #lock.v + #lock.g + #lock.q > 0
    if lock.looked or waiting then
      put(lock, 'z', waiting and '1', lock.z)
    end
    if lock.expired ~= '' then
      put(lock, 'a', string.sub(lock.expired .. (lock.a or ''), 1, 64 * 33))
    end
  end

  -- Each instance once.
  function sharing.wakeReaders(lock, message)
    local instances, told = {}, nil
    for i, one in ipairs(lock.woken or {}) do
      instances[i] = string.sub(one.id, 1, 16) .. one.listens
    end
    table.sort(instances)
    for _, instance in ipairs(instances) do
      if instance ~= told then
        wake(instance, message, string.sub(instance, 17))
        told = instance
      end
    end
  end

  -- The first in line that was not woken since it asked last. Its word stays, or readers would overtake it, but behind
  -- the others, so that one that is late or dead is not woken again and again in their stead.
  local function wakeFirst(line, most, message)
    for i = 1, most do
      local word = line[i]
      if string.sub(word, -1) ~= 'w' then
        wake(word, message)
        table.insert(line, table.remove(line, i) .. 'w')
        return
      end
    end
  end

  -- Nobody has the lock for itself any more: wakes who is next, if it can be had.
  function sharing.passOn(key, lock, line, message, writer)
    if not lock.looked and (lock.y or lock.z) then
      sharing.scan(key, lock)
    end
    if #lock.v > 0 and (writer or #lock.q + #line == 0) then
      sharing.letReadersIn(lock)
    elseif #lock.r + #lock.g == 0 then
      local next = sharing.head(lock)
      if next then
        wake(next.id, message .. '\n' .. next.id, next.listens)
      else
        wakeFirst(line, #line - (lock.withdrawn or 0), message)
      end
    end
  end

  -- Writes down what is known of those who have fields of their own and of those in line.
  function sharing.finish(key, lock, line, message)
    sharing.note(lock)
    put(lock, 'w', #line > 0 and table.concat(line), lock.w)
    write('HDEL', key, lock.stale)
    write('HSET', key, lock.fields)
    sharing.wakeReaders(lock, message)
  end
end
