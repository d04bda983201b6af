import type { SyncPlan } from '@holdfast/policy'
import { expect, test } from 'vitest'
import { SchemaBarrier, type Followed } from './schema-barrier.ts'

const [SYNCED, DEPENDED, OTHER] = [1, 2, 3]
const plan = {
  tables: [{ oid: SYNCED, definitions: [{ dependencies: [{ oid: DEPENDED }] }] }],
} as unknown as SyncPlan
const followed: Followed = { plan, follows: (table) => table === SYNCED || table === DEPENDED }

function after(...messages: readonly (readonly [prefix: string, content: string])[]): SchemaBarrier {
  const barrier = new SchemaBarrier()
  for (const [prefix, content] of messages) barrier.message(prefix, content, followed)
  return barrier
}

test('a transaction that does not change the schema does not stop the reader', () => {
  const barrier = after()
  expect(barrier.commit(7)).toEqual({ stops: false, hasQuietChange: false })
  expect(barrier.takeChanges()).toBeUndefined()
})

test('a change of the schema stops the reader at its transaction, once', () => {
  const barrier = after(['holdfast:ddl', 'CREATE POLICY'])
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: false })
  expect(barrier.commit(8)).toEqual({ stops: false, hasQuietChange: false })
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: false, isRewritten: false })
  expect(barrier.takeChanges()).toBeUndefined()
})

test('a quiet change of a table that the plan does not follow does not stop the reader', () => {
  const barrier = after(['holdfast:quiet', String(OTHER)], ['holdfast:ddl', 'CREATE TABLE'])
  expect(barrier.commit(7)).toEqual({ stops: false, hasQuietChange: true })
})

test.each([SYNCED, DEPENDED])('a quiet change of table %i, which the plan follows, stops the reader', (table) => {
  const barrier = after(['holdfast:quiet', `${OTHER},${table}`], ['holdfast:ddl', 'ALTER TABLE'])
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: false })
})

test('one change that is not quiet stops the reader, whatever the others of its transaction are', () => {
  const barrier = after(
    ['holdfast:quiet', String(OTHER)],
    ['holdfast:ddl', 'CREATE TABLE'],
    ['holdfast:ddl', 'CREATE FUNCTION'],
  )
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: true })
})

test('rewritten rows of a followed table are read again, and those of no other', () => {
  const barrier = after(['holdfast:rewrite', String(OTHER)], ['holdfast:rewrite', String(SYNCED)])
  expect(barrier.commit(7).stops).toBe(true)
  expect(barrier.takeRewritten()).toEqual([SYNCED])
  barrier.voided()
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: false, isRewritten: true })
})

test('a table that was taken out of the publication is missed', () => {
  const barrier = new SchemaBarrier()
  expect(barrier.message('holdfast:unpublished', String(SYNCED), followed)).toBe(true)
  expect(barrier.commit(7).stops).toBe(true)
  expect(barrier.takeRewritten()).toEqual([SYNCED])
})

test('an altered type is told with the change that the reader stops at', () => {
  const barrier = after(['holdfast:ddl', 'ALTER TYPE'])
  barrier.commit(7)
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: true, isRewritten: false })
})
