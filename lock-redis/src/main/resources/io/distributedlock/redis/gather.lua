-- Runs lock.lua or unlock.lua for several exclusive requests, one after the other. An error of one request does not affect
-- the others. Safe to repeat.
--
-- KEYS     the lock's hash for each request, then a key that never exists
-- ARGV[1]  a letter for each request: L takes its lock, U releases it
-- ARGV[2]… the argument of the script of each request
-- Answer   for each request the number of values of its answer and these values, or 0 and the error
if #KEYS ~= #ARGV[1] + 1 then
  return redis.error_reply('LOCKKEYS The script got ' .. #KEYS .. ' keys for ' .. #ARGV[1] .. ' requests')
end

-- Redis checks the memory only before the first write of a script. This write finds out whether memory is used up, and
-- changes nothing. The code of an error is at its beginning, in Redis 6.2 after '@user_script: 12: -'. The rest may name a
-- user, who may be called like a code.
local spared = redis.pcall('ZADD', KEYS[#KEYS], 'XX', 0, '')
local full = type(spared) == 'table' and string.find(spared.err, '^[@%l_%d: ]*%-?OOM ') and spared
local commands, hasWritten = redis, false
if full then
  commands = {pcall = redis.pcall}
  function commands.call(name, ...)
    if name == 'HSET' and not hasWritten then
      error(full)
    end
    hasWritten = hasWritten or name == 'PEXPIRE' or name == 'HDEL'
    return redis.call(name, ...)
  end
end

local answers, count, key, packed = {}, 0, {}, {}
for i = 1, #KEYS - 1 do
  key[1], packed[1], hasWritten = KEYS[i], ARGV[i + 1], false
  local done, answer = pcall(string.sub(ARGV[1], i, i) == 'L' and lock or unlock, key, packed, commands)
  if not done or (type(answer) == 'table' and answer.err) then
    answers[count + 1], answers[count + 2] = 0, type(answer) == 'table' and answer.err or answer
    count = count + 2
  elseif type(answer) == 'table' then
    answers[count + 1] = #answer
    for j, value in ipairs(answer) do
      answers[count + 1 + j] = value
    end
    count = count + 1 + #answer
  else
    answers[count + 1], answers[count + 2] = 1, answer
    count = count + 2
  end
end
return answers
