-- The members of the sorted set `holders`. LockScript prepends this to shared.lua and renew.lua.
--
-- A reader, or a request with permits, is in the set by its contender. A request that has taken several permits has one more
-- member for each of the others: the contender and a number of 2 bytes. All have the same score. So the set alone says how
-- many permits are taken, and there is no number that could differ from it.

-- Calls a command in portions, because a script cannot pass any number of values at once.
local function write(command, key, values)
  for i = 1, #values, 1000 do
    redis.call(command, key, unpack(values, i, math.min(i + 999, #values)))
  end
end

-- Adds a reader or permits, or sets the end of their lease.
local function occupy(holders, holder, taken, deadline)
  local members = {deadline, holder}
  for i = 2, taken do
    members[2 * i - 1], members[2 * i] = deadline, holder .. struct.pack('>I2', i)
  end
  write('ZADD', holders, members)
end

-- Removes a reader or permits.
local function vacate(holders, holder, taken)
  local members = {holder}
  for i = 2, taken do
    members[i] = holder .. struct.pack('>I2', i)
  end
  write('ZREM', holders, members)
end
