import { expect, test } from 'vitest'
import { toHoldfastError } from './postgres-error.ts'

const serverError = (code: string): Error =>
  Object.assign(new Error('terminating connection'), { code, severity: 'FATAL' })

test.each(['08006', '57P01', '57P02', '57P03', '53300', '53100'])(
  'what Postgres says while it stops, starts or is full (%s) asks the client to try again',
  (code) => {
    expect(toHoldfastError(serverError(code), false)).toMatchObject({
      code,
      status: 503,
      headers: { 'retry-after': '1' },
    })
  },
)

test('a statement that ran out of time is no reason to try again at once', () => {
  const error = toHoldfastError(serverError('57014'), false)
  expect(error).toMatchObject({ code: '57014', status: 500 })
  expect(error).not.toHaveProperty('headers.retry-after')
})

test.each([
  [true, 401],
  [false, 403],
])('a missing privilege asks only somebody unknown to sign in (anonymous: %s)', (isAnonymous, status) => {
  expect(toHoldfastError(serverError('42501'), isAnonymous)).toMatchObject({ code: '42501', status })
})
