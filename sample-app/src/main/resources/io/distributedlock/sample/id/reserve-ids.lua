-- Reserves the current microsecond of the server's clock for one caller.
-- KEYS[1]  the last microsecond that was reserved
-- Returns the reserved microsecond, or minus the microseconds to wait before asking again.
-- Safe to repeat: a command that was sent twice wastes a block.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = redis.call('GET', KEYS[1])
if last and now <= tonumber(last) then
	return now - tonumber(last) - 1
end
redis.call('SET', KEYS[1], string.format('%.0f', now))
if last then
	return now
end
-- Without the key the last reserved number is unknown; it may be this very microsecond.
return -1
