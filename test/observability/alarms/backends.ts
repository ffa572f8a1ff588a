import type { AlarmCases, Scraped } from './alarm-case.ts'

const connected = (link: string) => `parley_redis_connected{instance="a",link="${link}"}`
const redisErrors = (operation: string) =>
  `parley_redis_errors_total{instance="a",operation="${operation}",reason="full"}`
const dynamoErrors = (instance: string, reason: string) =>
  `parley_dynamodb_errors_total{instance="${instance}",operation="PutItem",table="messages",reason="${reason}"}`

const dynamoSlow = (percent: number): Scraped => ({
  'parley_dynamodb_duration_seconds_bucket{instance="a",operation="Query",le="0.25"}': `0+${1000 - 10 * percent}x40`,
  'parley_dynamodb_duration_seconds_bucket{instance="a",operation="Query",le="0.5"}': '0+1000x40',
  'parley_dynamodb_duration_seconds_bucket{instance="a",operation="Query",le="+Inf"}': '0+1000x40',
})

const capacity = (unitsPerMinute: number, sendsPerMinute: number): Scraped => ({
  'parley_dynamodb_capacity_units_total{instance="a",table="messages",kind="read"}': `0+${unitsPerMinute}x150`,
  'parley_send_duration_seconds_count{instance="a"}': `0+${sendsPerMinute}x150`,
})

export const backendAlarms: AlarmCases = {
  ParleyRedisLost: {
    fires: {
      scraped: { [connected('commands')]: '1x30', [connected('events')]: '1x2 0x4 1x20' },
      at: 4,
      until: 15,
      says: 'a has no connection to Redis (events)',
      labels: { instance: 'a', link: 'events' },
    },
    silent: { when: 'it comes back at once', scraped: { [connected('commands')]: '1x2 0 1x9' } },
  },
  ParleyRedisErrors: {
    fires: {
      scraped: { [redisErrors('publish')]: '0+40x20', [redisErrors('reserve')]: '0+40x20' },
      at: 9,
      says: 'Redis fails a more than once a second: full',
      labels: { instance: 'a', reason: 'full' },
    },
    silent: { when: 'there are few', scraped: { [redisErrors('publish')]: '0+59x20' } },
  },
  ParleyDynamoErrors: {
    fires: {
      scraped: { [dynamoErrors('a', 'throttled')]: '0+40x20', [dynamoErrors('b', 'throttled')]: '0+40x20' },
      at: 9,
      says: 'DynamoDB fails more than once a second at messages: throttled',
      labels: { table: 'messages', reason: 'throttled' },
    },
    silent: { when: 'there are few', scraped: { [dynamoErrors('a', 'throttled')]: '0+59x20' } },
  },
  ParleyDynamoSlow: {
    fires: {
      scraped: dynamoSlow(2),
      at: 11,
      says: '1 % of calls to DynamoDB take longer than a quarter of a second',
    },
    silent: { when: 'half a percent does', scraped: dynamoSlow(0.5) },
  },
  ParleyCapacityPerMessage: {
    fires: { scraped: capacity(25 * 120, 120), at: 91, says: 'A message costs more than 20 capacity units, all told' },
    silent: { when: 'hardly anything is sent', scraped: capacity(25 * 50, 50) },
  },
}
