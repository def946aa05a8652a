-- Says how a server does. Changes nothing.
--
-- KEYS[1]  a key of the server, which need not exist
-- ARGV[1]  '1' to look also what the server does where its memory is used up
-- Answer   {seconds, microseconds of the server's clock, its eviction policy, 'unlimited' if its memory is not limited, '' if
--          that is not known, or '-' if the user may not ask}
local time, policy = redis.call('TIME'), ''
if ARGV[1] == '1' then
  local info = redis.pcall('INFO', 'memory')
  local text = type(info) == 'string' and info or ''
  policy = string.match(text, 'maxmemory_policy:([%w-]+)') or type(info) == 'table' and '-' or ''
  if string.find(text, 'maxmemory:0\r', 1, true) then
    policy = 'unlimited'
  end
end
return {time[1], time[2], policy}
