import { describe, expect, test } from 'vitest'
import { bucketsInMemory, createRateLimiter, isLoopback } from './rate-limits.ts'

function limiterAt(attempts: number, loopbackExempt = false) {
  const time = { ms: 1_000_000 }
  return {
    time,
    limiter: createRateLimiter(
      { name: 'test', windowS: 300, attempts, isLoopbackExempt: () => loopbackExempt },
      bucketsInMemory({ now: () => time.ms }),
    ),
  }
}

describe('a rate limiter', () => {
  test('lets the attempts of a window through at once and refuses the next with the wait', async () => {
    const { limiter } = limiterAt(3)
    for (let attempt = 0; attempt < 3; attempt++) await limiter.take('192.0.2.1')
    await expect(limiter.take('192.0.2.1')).rejects.toThrow(
      expect.objectContaining({ code: 'over_request_rate_limit', status: 429, headers: { 'retry-after': '100' } }),
    )
  })

  test('lets one more through when the wait it named is over', async () => {
    const { limiter, time } = limiterAt(3)
    for (let attempt = 0; attempt < 3; attempt++) await limiter.take('192.0.2.1')
    time.ms += 100_000
    await limiter.take('192.0.2.1')
    await expect(limiter.take('192.0.2.1')).rejects.toThrow()
  })

  test('counts each address on its own', async () => {
    const { limiter } = limiterAt(1)
    await limiter.take('192.0.2.1')
    await limiter.take('192.0.2.2')
    await expect(limiter.take('192.0.2.1')).rejects.toThrow()
  })

  test('counts a whole /64 of IPv6 as one', async () => {
    const { limiter } = limiterAt(1)
    await limiter.take('2001:db8:1:2::1')
    await expect(limiter.take('2001:db8:1:2:aaaa:bbbb:cccc:dddd')).rejects.toThrow()
    await limiter.take('2001:db8:1:3::1')
  })

  test('is not emptied by a clock that goes backwards', async () => {
    const { limiter, time } = limiterAt(2)
    await limiter.take('192.0.2.1')
    time.ms -= 3_600_000
    await limiter.take('192.0.2.1')
    await expect(limiter.take('192.0.2.1')).rejects.toThrow()
  })

  test('with 0 attempts counts nothing', async () => {
    const { limiter } = limiterAt(0)
    for (let attempt = 0; attempt < 1000; attempt++) await limiter.take('192.0.2.1')
  })

  test('exempts this machine only when told to', async () => {
    const exempt = limiterAt(1, true).limiter
    for (let attempt = 0; attempt < 100; attempt++) await exempt.take('127.0.0.1')
    const strict = limiterAt(1).limiter
    await strict.take('127.0.0.1')
    await expect(strict.take('127.0.0.1')).rejects.toThrow()
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['2001:db8::1', false],
])('isLoopback(%j) is %j', (address, loopback) => {
  expect(isLoopback(address)).toBe(loopback)
})
