import { describe, expect, test } from 'vitest'
import { isConnectionLoss, sqlstateOf } from './sqlstate.ts'

const sent = (code: string): Error => Object.assign(new Error('said by Postgres'), { code, severity: 'ERROR' })
const system = (code: string): Error => Object.assign(new Error('said by the system'), { code })

describe('isConnectionLoss', () => {
  test.each(['57P01', '57P02', '57P03', '08006', '08P01', '53300', '25P03'])('holds for SQLSTATE %s', (code) => {
    expect(isConnectionLoss(sent(code))).toBe(true)
  })

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])('holds for %s', (code) => {
    expect(isConnectionLoss(system(code))).toBe(true)
    expect(isConnectionLoss(new AggregateError([system(code)]))).toBe(true)
  })

  test.each(['Connection terminated unexpectedly', 'Connection terminated', 'timeout exceeded when trying to connect'])(
    'holds for the driver that says "%s"',
    (message) => expect(isConnectionLoss(new Error(message))).toBe(true),
  )

  test.each([
    sent('23505'),
    sent('42501'),
    sent('57014'),
    system('ENOENT'),
    new Error('a bug'),
    'Connection terminated',
    undefined,
  ])('does not hold for %o', (error) => expect(isConnectionLoss(error)).toBe(false))
})

test('sqlstateOf tells codes of Postgres from codes of the system', () => {
  expect(sqlstateOf(sent('23505'))).toBe('23505')
  expect(sqlstateOf(system('EPIPE'))).toBeUndefined()
  expect(sqlstateOf(null)).toBeUndefined()
})
