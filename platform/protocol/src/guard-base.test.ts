import { describe, expect, test } from 'vitest'
import { nextGuardBase, rebaseGuards } from './guard-base.ts'

const patch = { op_id: 2, op: 'PATCH', type: 'orders', id: '1' } as const

describe('a change made on the same sight as an applied one', () => {
  const first = { ...patch, op_id: 1, data: { title: 'a' }, old: { version: 1, state: 'open' } }
  const base = nextGuardBase(first, undefined, { version: 2, state: 'open' })

  test('is based on what the server has since', () => {
    expect(rebaseGuards({ ...patch, old: { version: 1 } }, base).old).toEqual({ version: 2 })
  })

  test('keeps values that are not those of the device then', () => {
    expect(rebaseGuards({ ...patch, old: { version: 7, state: 'done' } }, base).old).toEqual({
      version: 7,
      state: 'done',
    })
  })

  test('is based on the last of several', () => {
    const second = nextGuardBase({ ...patch, data: { state: 'done' }, old: { version: 1 } }, base, {
      version: 3,
      state: 'DONE',
    })
    expect(rebaseGuards({ ...patch, old: { version: 1, state: 'done' } }, second).old).toEqual({
      version: 3,
      state: 'DONE',
    })
  })
})

test('a change after a create is based on the defaults that the device has not heard of', () => {
  const base = nextGuardBase({ ...patch, op: 'PUT', data: { title: 'a' } }, undefined, { version: 1, title: 'A' })
  expect(rebaseGuards({ ...patch, old: { version: null, title: 'a' } }, base).old).toEqual({ version: 1, title: 'A' })
})

test('a change without previous values is left alone', () => {
  expect(rebaseGuards(patch, { was: {}, now: { version: 1 } })).toBe(patch)
})
