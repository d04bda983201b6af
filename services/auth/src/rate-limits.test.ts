import { describe, expect, test } from 'vitest'
import { createRateLimiter, isLoopback } from './rate-limits.ts'

function limiterAt(attempts: number, loopbackExempt = false) {
  const time = { ms: 1_000_000 }
  return {
    time,
    limiter: createRateLimiter({
      windowS: 300,
      attempts,
      isLoopbackExempt: () => loopbackExempt,
      clock: { now: () => time.ms },
    }),
  }
}

describe('a rate limiter', () => {
  test('lets the attempts of a window through at once and refuses the next with the wait', () => {
    const { limiter } = limiterAt(3)
    for (let attempt = 0; attempt < 3; attempt++) limiter.take('192.0.2.1')
    expect(() => limiter.take('192.0.2.1')).toThrow(
      expect.objectContaining({ code: 'over_request_rate_limit', status: 429, headers: { 'retry-after': '100' } }),
    )
  })

  test('lets one more through when the wait it named is over', () => {
    const { limiter, time } = limiterAt(3)
    for (let attempt = 0; attempt < 3; attempt++) limiter.take('192.0.2.1')
    time.ms += 100_000
    limiter.take('192.0.2.1')
    expect(() => limiter.take('192.0.2.1')).toThrow()
  })

  test('counts each address on its own', () => {
    const { limiter } = limiterAt(1)
    limiter.take('192.0.2.1')
    limiter.take('192.0.2.2')
    expect(() => limiter.take('192.0.2.1')).toThrow()
  })

  test('counts a whole /64 of IPv6 as one', () => {
    const { limiter } = limiterAt(1)
    limiter.take('2001:db8:1:2::1')
    expect(() => limiter.take('2001:db8:1:2:aaaa:bbbb:cccc:dddd')).toThrow()
    limiter.take('2001:db8:1:3::1')
  })

  test('is not emptied by a clock that goes backwards', () => {
    const { limiter, time } = limiterAt(2)
    limiter.take('192.0.2.1')
    time.ms -= 3_600_000
    limiter.take('192.0.2.1')
    expect(() => limiter.take('192.0.2.1')).toThrow()
  })

  test('with 0 attempts counts nothing', () => {
    const { limiter } = limiterAt(0)
    for (let attempt = 0; attempt < 1000; attempt++) limiter.take('192.0.2.1')
  })

  test('exempts this machine only when told to', () => {
    const exempt = limiterAt(1, true).limiter
    for (let attempt = 0; attempt < 100; attempt++) exempt.take('127.0.0.1')
    const strict = limiterAt(1).limiter
    strict.take('127.0.0.1')
    expect(() => strict.take('127.0.0.1')).toThrow()
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
