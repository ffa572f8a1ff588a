// This is a server with nothing but its embedded backends. It prints where they are. On SIGINT it drains, which needs them both.

import { Redis } from 'ioredis'
import { startEmbedded } from '../../../src/embedded/start-embedded.ts'

const {
  redisUrl = '',
  dynamodbEndpoint = '',
  stop,
} = await startEmbedded({
  dataDir: process.argv[2] ?? '',
  redis: true,
  dynamodb: true,
})
const redis = new Redis(redisUrl.replace('unix://', ''))
const staying = setInterval(() => undefined, 60_000)

process.once('SIGINT', async () => {
  const { status } = await fetch(dynamodbEndpoint)
  console.log(`drained: ${await redis.ping()} ${status}`)
  redis.disconnect()
  clearInterval(staying)
  await stop()
})
console.log(JSON.stringify({ redisUrl, dynamodbEndpoint }))
