import { expect, test } from 'vitest'
import type { Catalog } from '@holdfast/postgres'
import { createStaleness } from './stale-catalog.ts'

const [OLD, NEW] = [{ version: 'old' } as Catalog, { version: 'new' } as Catalog]

function world() {
  const state = { current: OLD, next: OLD, readings: 0, nowMs: 0 }
  const newerThan = createStaleness(
    {
      current: () => state.current,
      refresh: async () => {
        state.readings++
        return (state.current = state.next)
      },
    },
    () => state.nowMs,
  )
  return { state, newerThan }
}

test('a name that is not known is looked up once more, and other failures are left alone', async () => {
  const { state, newerThan } = world()
  state.next = NEW
  expect(await newerThan(OLD, { code: '23505' })).toBeUndefined()
  expect(await newerThan(OLD, new Error('no code'))).toBeUndefined()
  expect(state.readings).toBe(0)
  expect(await newerThan(OLD, { code: 'PGRST205' })).toBe(NEW)
})

test('repeated requests for an unknown name look it up once a second', async () => {
  const { state, newerThan } = world()
  const asked = Array.from({ length: 100 }, () => newerThan(OLD, { code: '42P01' }))
  expect(new Set(await Promise.all(asked))).toEqual(new Set([undefined]))
  expect(state.readings).toBe(1)
  state.nowMs = 1_000
  await newerThan(OLD, { code: '42P01' })
  expect(state.readings).toBe(2)
})

test('what was read meanwhile counts without another reading', async () => {
  const { state, newerThan } = world()
  state.current = NEW
  expect(await newerThan(OLD, { code: '42703' })).toBe(NEW)
  expect(state.readings).toBe(0)
})
