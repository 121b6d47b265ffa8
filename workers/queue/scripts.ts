/** What must happen at once in Redis. All keys of a queue share a hash tag, so that a Cluster runs these too. */

/** Lua: what is in use against what is kept. `full`: results that nobody has read take up all the room. */
const LIMITS = `
local function number(value, otherwise) return tonumber(value or '') or otherwise end
local function keep(meta)
  local kept = redis.call('HMGET', meta, 'keepResults', 'keepMs')
  return number(kept[1], 100000), number(kept[2], 604800000)
end
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function drop(results, done, collected, jobId)
  local value = redis.call('HGET', results, jobId)
  if value then
    redis.call('XDEL', done, string.match(value, '^(%S+) '))
    redis.call('HDEL', results, jobId)
  end
  redis.call('ZREM', collected, jobId)
end
-- The oldest results that somebody has read.
local function dropRead(results, done, collected, most)
  for _, old in ipairs(redis.call('ZRANGE', collected, 0, most - 1)) do drop(results, done, collected, old) end
end
-- A write for which results that were read make room where Redis is full. Where none were, it is refused as ever.
local function write(results, done, collected, ...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if string.find(reply.err, 'OOM ', 1, true) then dropRead(results, done, collected, 100) end
  return redis.call(...)
end
-- A full Redis refuses only what a script begins with: after this removal of nothing it takes what is small.
local function beginSmall(collected) redis.call('ZREM', collected, '') end
`;

/** Lua: the tags of a class of jobs, of which BullMQ makes scores: (offset + tag) * 2^32 and a counter. */
const TURNS = `
local function lineOf(lane, offset, size, ...)
  local from, to = (offset + 1) * 4294967296, (offset + size + 1) * 4294967296
  return redis.call('ZRANGEBYSCORE', lane .. 'prioritized', from, string.format('(%.0f', to), 'WITHSCORES', ...)
end
local function headOf(lane, offset, size)
  local head = lineOf(lane, offset, size, 'LIMIT', 0, 1)
  return head[2] and math.floor(tonumber(head[2]) / 4294967296) - offset
end
local function shift(lane, fair, class, offset, size, by)
  local line = lineOf(lane, offset, size)
  for i = 1, #line, 2 do
    redis.call('ZADD', lane .. 'prioritized', tonumber(line[i + 1]) - by * 4294967296, line[i])
    redis.call('HINCRBY', lane .. line[i], 'priority', -by)
  end
  -- These come back into line with the priority that they have by then.
  local away = { redis.call('LRANGE', lane .. 'active', 0, -1), redis.call('LRANGE', lane .. 'wait', 0, -1),
    redis.call('ZRANGE', lane .. 'delayed', 0, -1), redis.call('ZRANGE', lane .. 'failed', 0, -1) }
  for _, jobs in ipairs(away) do
    for _, jobId in ipairs(jobs) do
      local tag = number(redis.call('HGET', lane .. jobId, 'priority'), 0) - offset
      if tag > 0 and tag <= size then
        redis.call('HSET', lane .. jobId, 'priority', offset + math.max(tag - by, 1))
      end
    end
  end
  local last = redis.call('HGETALL', fair)
  for i = 1, #last, 2 do
    if string.sub(last[i], 1, #class + 1) == class .. ':' then
      local tag = tonumber(last[i + 1]) - by
      if tag > 0 then redis.call('HSET', fair, last[i], tag) else redis.call('HDEL', fair, last[i]) end
    end
  end
end
`;

/**
 * Looks at jobs before they are added: which are known, and which place in the line a new one gets.
 * KEYS results, collected, meta, fair, configurations; ARGV lane prefix, epoch if there is none, most
 * waiting, class offset, class size, class, configuration, then job id and tenant of each.
 * Returns epoch, time, 'ok' | 'waiting' | 'full', then for each job a tag (a number), or 'queued', 'finished' or 'dead'
 * (a dead letter whose error is kept no more) and the digest.
 *
 * Tags are start tags of start-time fair queueing (Goyal et al., 1996) with one unit a job: a tenant's next job starts
 * when its last one ended, and never before the head of the line, which is served next. Small tags first, so that
 * tenants take turns however much one of them has put in line. When the head has come half of the way to where
 * priorities end, all that is known begins at 1 again.
 */
export const ADMIT = `${LIMITS}${TURNS}
local results, collected, meta, fair = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lane, most, offset, size, class = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
redis.call('HSETNX', meta, 'epoch', ARGV[2])
redis.call('HSETNX', KEYS[5], ARGV[7], 'null')
local epoch = redis.call('HGET', meta, 'epoch')
local waiting = redis.call('ZCARD', lane .. 'prioritized') + redis.call('LLEN', lane .. 'wait')
  + redis.call('ZCARD', lane .. 'delayed')
local reply = { epoch, clock(), 'ok' }
if waiting >= most then
  reply[3] = 'waiting'
  return reply
end
local room = keep(meta)
if redis.call('HLEN', results) - redis.call('ZCARD', collected) >= room then
  reply[3] = 'full'
  return reply
end
if waiting == 0 and redis.call('LLEN', lane .. 'active') == 0 then redis.call('DEL', fair) end
-- Where nobody waits, all tags that were given have been served, and jobs that come back for another try keep theirs.
local topField = 'top:' .. class
local now, top = headOf(lane, offset, size), number(redis.call('HGET', fair, topField), 0)
if not now then now = math.max(top, 1) end
if now > size / 2 then
  local by = now - 1
  shift(lane, fair, class, offset, size, by)
  now, top = 1, top - by
end
for i = 8, #ARGV, 2 do
  local jobId, tenant = ARGV[i], ARGV[i + 1]
  local known = redis.call('HGET', results, jobId)
  local state = 'finished'
  if not known then
    known = redis.call('HGET', lane .. jobId, 'data')
    state = redis.call('HEXISTS', lane .. jobId, 'finishedOn') == 1 and 'dead' or 'queued'
  end
  if known then
    reply[#reply + 1] = { state, string.match(known, '"digest":"(%x+)"') or '' }
  else
    local last = number(redis.call('HGET', fair, class .. ':' .. tenant), 0)
    local tag = math.min(math.max(now, last + 1), size)
    top = math.max(top, tag)
    redis.call('HSET', fair, class .. ':' .. tenant, tag)
    reply[#reply + 1] = offset + tag
  end
end
redis.call('HSET', fair, topField, top)
return reply
`;

/**
 * Writes a result once, and tells it to whoever listens on a channel, which need not be there nor be allowed. KEYS
 * results, done, collected, meta; ARGV job id, result, tenant, channel or ''. Returns 1, or 0 where there is a result
 * already. Refused by a Redis that is full of what nobody has read.
 */
export const FINISH = `${LIMITS}
local results, done, collected, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local jobId = ARGV[1]
if redis.call('HEXISTS', results, jobId) == 1 then return 0 end
local entry = write(results, done, collected, 'XADD', done, '*', 'job', jobId, 'tenant', ARGV[3])
redis.call('HSET', results, jobId, entry .. ' ' .. ARGV[2])
if ARGV[4] ~= '' then redis.pcall('PUBLISH', ARGV[4], ARGV[2]) end
local over = redis.call('HLEN', results) - keep(meta)
if over > 0 then dropRead(results, done, collected, math.min(over, 100)) end
return 1
`;

/**
 * Notes how many results are kept, and how long. Every worker says it every few seconds, also to a Redis so full that
 * none of them can take a job: that read results make room here is what gets them going again. KEYS results, done,
 * collected, meta; ARGV results, milliseconds.
 */
export const KEEP = `${LIMITS}
return write(KEYS[1], KEYS[2], KEYS[3], 'HSET', KEYS[4], 'keepResults', ARGV[1], 'keepMs', ARGV[2])
`;

/** Removes what is older than results are kept, at most 1,000 of them; returns how many, and counts the unread. KEYS results, done, collected, meta. */
export const EXPIRE = `${LIMITS}
local results, done, collected, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local _, age = keep(meta)
local old = redis.call('XRANGE', done, '-', string.format('%.0f', math.max(clock() - age, 0)), 'COUNT', 1000)
local unread = 0
for _, entry in ipairs(old) do
  local jobId = entry[2][2]
  if not redis.call('ZSCORE', collected, jobId) then unread = unread + 1 end
  drop(results, done, collected, jobId)
  redis.call('XDEL', done, entry[1])
end
if unread > 0 then redis.call('HINCRBY', meta, 'unread', unread) end
return #old
`;

/** Takes a result back so that its job can be decided anew. KEYS results, done, collected; ARGV job id. */
export const FORGET = `${LIMITS}
drop(KEYS[1], KEYS[2], KEYS[3], ARGV[1])
return 1
`;

/** Notes that results were read. KEYS results, collected; ARGV job ids. */
export const COLLECT = `${LIMITS}
local now = clock()
beginSmall(KEYS[2])
for _, jobId in ipairs(ARGV) do
  if redis.call('HEXISTS', KEYS[1], jobId) == 1 then redis.call('ZADD', KEYS[2], now, jobId) end
end
return #ARGV
`;
