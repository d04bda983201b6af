import { expect, test } from 'vitest'
import { CHECK_BUDGET_MS, CHECK_SHARE, CHECKS_MAX } from '../limits.ts'
import { createCheckAdmission } from './check-admission.ts'

const refusedWith = (status: number): unknown => expect.objectContaining({ status })

test('one at a time for each person, and few of all people', () => {
  const checks = createCheckAdmission(() => 0)
  const people = Array.from({ length: CHECKS_MAX }, (_, n) => `person ${n}`)
  const leave = people.map((person) => checks.enter(person))
  expect(() => checks.enter('person 0')).toThrow(refusedWith(429) as Error)
  expect(() => checks.enter('another')).toThrow(refusedWith(503) as Error)
  leave[0]?.()
  leave[1]?.()
  expect(() => checks.enter('another')).not.toThrow()
})

test('a person whose checks took long waits until they are that part of all time, and no other person does', () => {
  let now = 0
  const checks = createCheckAdmission(() => now)
  const spend = (ms: number): void => {
    const leave = checks.enter('busy')
    now += ms
    leave()
  }
  spend(CHECK_BUDGET_MS + 2_000)
  expect(() => checks.enter('busy')).toThrow(
    expect.objectContaining({ status: 429, headers: { 'retry-after': String(2 / CHECK_SHARE) } }) as Error,
  )
  checks.enter('another')()
  now += 2_000 / CHECK_SHARE
  expect(() => checks.enter('busy')()).not.toThrow()
})
