import { expect, test } from 'vitest'
import { createRequestLimit } from './request-limit.ts'

test('one request too many is refused at once, and there is room again when one has ended', () => {
  const limit = createRequestLimit(2)
  const leave = limit.enter()
  limit.enter()
  expect(() => limit.enter()).toThrow(expect.objectContaining({ code: 'PGRST003', status: 504 }))
  leave()
  expect(() => limit.enter()).not.toThrow()
})
