-- Tries each command that the store's scripts need, on a key that is no lock's. The key does not stay.
--
-- KEYS[1]  the key
-- ARGV[1]  a channel without listeners
-- Answer   a line for each command that the user may not run, with the command and the server's error; or an error if the
--          server cannot keep locks
local refused = {}

-- 32-bit builds cut numbers in struct, so deadlines would be wrong.
if struct.unpack('>I6', struct.pack('>I6', 2 ^ 47 + 1)) ~= 2 ^ 47 + 1 then
  return redis.error_reply('LOCKNUMBERS The server cuts numbers of 48 bits in scripts')
end

local function may(command, ...)
  local answer = redis.pcall(command, ...)
  local said = type(answer) == 'table' and answer.err
  -- The errors of 6.2, 7.0 and later servers. Only the beginning counts: the rest may quote a key, which may have any name.
  local text = said and string.gsub(said, '^[@%l_%d: ]*%-?', '')
  if said and (string.find(text, '^NOPERM') or string.find(text, "^[ER ]*The user executing the script can't")
    or string.find(text, '^%u+ ACL failure in script')) then
    refused[#refused + 1] = command .. ' ' .. said
    return false
  end
  return true
end

may('TIME')
may('HMGET', KEYS[1], 'p')
may('HSCAN', KEYS[1], '0')
may('PTTL', KEYS[1])
may('EXISTS', KEYS[1])
may('RENAME', KEYS[1], KEYS[1])
may('ZADD', KEYS[1], 'XX', 1, 'p')
may('ZREM', KEYS[1], 'p')
may('ZRANGE', KEYS[1], 0, 0)
may('ZCOUNT', KEYS[1], 0, 0)
may('ZSCORE', KEYS[1], 'p')
may('ZREMRANGEBYSCORE', KEYS[1], 1, 0)
may('ZUNIONSTORE', KEYS[1], 1, KEYS[1])
local deletes = may('HDEL', KEYS[1], 'p')
local expires = may('PEXPIRE', KEYS[1], 1000)
if deletes or expires then
  may('HSET', KEYS[1], 'p', '1')
  redis.pcall('PEXPIRE', KEYS[1], 1000)
  redis.pcall('HDEL', KEYS[1], 'p')
end
may('PUBLISH', ARGV[1], '')
return refused
