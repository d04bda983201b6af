import { expect, test } from 'vitest'
import { keepKnownTables } from './keep-known-tables.ts'
import type { PublishedPlan } from './publish-tables.ts'

const compiled = {
  plan: { version: 'v', tables: [{ oid: 1 }, { oid: 2 }, { oid: 3 }], published: [{ oid: 3 }] },
  hasMissed: true,
} as unknown as PublishedPlan

test('a plan without new tables stays the same', () => {
  expect(keepKnownTables(compiled, new Set([1, 2, 3]))).toBe(compiled)
})

test('new tables are left out, and it is another version then', () => {
  const { plan, hasMissed } = keepKnownTables(compiled, new Set([2, 4]))
  expect(plan.tables).toEqual([{ oid: 2 }])
  expect(plan.version).toBe('v-1-3')
  expect(plan.published).toBe(compiled.plan.published)
  expect(hasMissed).toBe(true)
})
