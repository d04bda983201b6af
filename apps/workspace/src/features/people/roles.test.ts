import { expect, test } from 'vitest'
import { setWorkspaceZone } from '../../lib/time-zone.ts'
import { endOfDay, isAtMost, rolesUpTo } from './roles.ts'

test('a person gives roles up to their own', () => {
  expect(rolesUpTo('admin')).toEqual(['guest', 'viewer', 'commenter', 'editor', 'admin'])
  expect(isAtMost('owner', 'admin')).toBe(false)
})

test('the access of a guest ends with the day, and a day that is none ends nothing', () => {
  expect(endOfDay('2026-11-30')).toEqual(new Date(2026, 10, 30, 23, 59, 59))
  expect(endOfDay('')).toBeUndefined()
  expect(endOfDay('2026-13-40')).toBeUndefined()
})

test('the day of a guest ends when it does in the workspace', () => {
  setWorkspaceZone('Pacific/Kiritimati')
  try {
    expect(endOfDay('2026-11-30')?.toISOString()).toBe('2026-11-30T09:59:59.000Z')
  } finally {
    setWorkspaceZone(undefined)
  }
})
