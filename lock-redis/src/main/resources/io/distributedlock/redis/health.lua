-- Reads the clock of a server, and its eviction policy. Changes nothing.
--
-- KEYS[1]  a key of the server, which need not exist
-- ARGV[1]  '1' to read the eviction policy as well
-- Answer   {seconds, microseconds of the server's clock, its eviction policy}; the policy is 'unlimited' if memory is not
--          limited, '' if it is not known, or '-' if the user may not run INFO
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
