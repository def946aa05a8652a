-- Reads the holders of a lock, and the number of its waiters. Changes nothing.
--
-- KEYS     the lock's hash and its sorted sets queue, holders, readers and admitted, see shared.lua
-- ARGV[1]  packed: most holders that the answer names, most fair requests that are checked
-- Answer   a list: permits; remaining ms for which the lock is kept, or closed after a lease that has run out; 1 if the
--          holders are readers or permits, else 0; number of holders, or of permits that are taken; number of waiter entries
--          that count; then request, token, remaining ms and permits of each holder
local key, queue, holders, readers, admitted = unpack(KEYS)
local most, fair = struct.unpack('>I4I4', ARGV[1])
local values = redis.pcall('HMGET', key, 'state', 'waiters')
local problem = hashProblem(key, values) or setProblem(queue, holders, readers, admitted)
if problem then
  return problem
end

local time = redis.call('TIME')
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)
local _, status, shared, owner, number, deadline, lease, token, _, kept, keptFor, _, extra =
  struct.unpack(STATE, values[1] or blank())
-- If the server's clock went back, no lease and no kept time lasts longer than it was set for.
deadline, kept = math.min(deadline, now + lease), math.min(kept, now + keptFor)
if status == HELD and deadline <= now then
  kept = math.max(kept, deadline + extra)
end
local answer = {status == HELD and 0 or extra, math.max(kept - now, 0), 0, 0, 0}

local function add(request, its, left, taken)
  answer[4] = answer[4] + 1
  if answer[4] <= most then
    table.insert(answer, request)
    table.insert(answer, its)
    table.insert(answer, left)
    table.insert(answer, taken)
  end
end

local function counts(till)
  return till > now and till <= now + 60000
end

if status == HELD and deadline > now then
  add(owner .. struct.pack('>I6', number), token, deadline - now, 1)
end
for i = 1, #(values[2] or ''), ENTRY do
  local _, till = struct.unpack('>c8I6', values[2], i)
  answer[5] = answer[5] + (counts(till) and 1 or 0)
end
if shared % 2 == 1 then
  local before = answer[4]
  answer[3] = before == 0 and 1 or 0
  for _, holder in ipairs(redis.call('ZRANGE', holders, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, 10 * most)) do
    if #holder == #NONE then
      local value = redis.call('HMGET', key, 'by' .. holder)[1] or string.rep('\0', 32)
      local last, _, till, longest, its, _, taken = struct.unpack(REGISTER, value)
      add(holder .. struct.pack('>I6', last), its, math.max(math.min(till - now, longest), 0), taken)
    end
  end
  answer[4] = before + redis.call('ZCOUNT', holders, '(' .. now, '+inf')
  answer[5] = answer[5] + redis.call('ZCOUNT', readers, '(' .. now, now + 60000)
  answer[5] = answer[5] + redis.call('ZCOUNT', admitted, '-inf', '+inf')
  for _, request in ipairs(redis.call('ZRANGE', queue, 0, fair - 1)) do
    local ends = redis.call('HMGET', key, 'q' .. request, 'i' .. string.sub(request, 1, 8))
    local till, since = struct.unpack('>I6I6', ends[1] or string.rep('\255', 12))
    if till == 0 then
      local last, first = struct.unpack('>I6I6', ends[2] or string.rep('\0', 12))
      till = first == since and last or 0
    end
    answer[5] = answer[5] + (counts(till) and 1 or 0)
  end
end
return answer
