import type { SyncPlan } from '@holdfast/policy'
import { expect, test } from 'vitest'
import { CHANGES_IN_A_ROW_MS } from '../../limits.ts'
import { SchemaBarrier, type Followed } from './schema-barrier.ts'

const [SYNCED, DEPENDED, OTHER] = [1, 2, 3]
const plan = {
  tables: [{ oid: SYNCED, definitions: [{ dependencies: [{ oid: DEPENDED }] }] }],
} as unknown as SyncPlan
const followed: Followed = { plan, follows: (table) => table === SYNCED || table === DEPENDED }

function after(...messages: readonly (readonly [prefix: string, content: string])[]): SchemaBarrier {
  const barrier = new SchemaBarrier(CHANGES_IN_A_ROW_MS)
  for (const [prefix, content] of messages) barrier.message(prefix, content, followed)
  return barrier
}

test('a transaction that does not change the schema does not stop the reader', () => {
  const barrier = after()
  expect(barrier.commit(7)).toEqual({ stops: false, hasQuietChange: false, hasApartChange: false })
  expect(barrier.takeChanges()).toBeUndefined()
})

test('a change of the schema stops the reader at its transaction, once', () => {
  const barrier = after(['holdfast:ddl', 'CREATE POLICY'])
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: false, hasApartChange: false })
  expect(barrier.commit(8)).toEqual({ stops: false, hasQuietChange: false, hasApartChange: false })
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: false, isRewritten: false, isInARow: false })
  expect(barrier.takeChanges()).toBeUndefined()
})

test('a quiet change of a table that the plan does not follow does not stop the reader', () => {
  const barrier = after(['holdfast:quiet', String(OTHER)], ['holdfast:ddl', 'CREATE TABLE'])
  expect(barrier.commit(7)).toEqual({ stops: false, hasQuietChange: true, hasApartChange: false })
})

test.each([SYNCED, DEPENDED])('a quiet change of table %i, which the plan follows, stops the reader', (table) => {
  const barrier = after(['holdfast:quiet', `${OTHER},${table}`], ['holdfast:ddl', 'ALTER TABLE'])
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: false, hasApartChange: false })
})

test('one change that is not quiet stops the reader, whatever the others of its transaction are', () => {
  const barrier = after(
    ['holdfast:quiet', String(OTHER)],
    ['holdfast:ddl', 'CREATE TABLE'],
    ['holdfast:ddl', 'CREATE FUNCTION'],
  )
  expect(barrier.commit(7)).toEqual({ stops: true, hasQuietChange: true, hasApartChange: false })
})

test('rewritten rows of a followed table are read again, and those of no other', () => {
  const barrier = after(['holdfast:rewrite', String(OTHER)], ['holdfast:rewrite', String(SYNCED)])
  expect(barrier.commit(7).stops).toBe(true)
  expect(barrier.takeRewritten()).toEqual([SYNCED])
  barrier.voided()
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: false, isRewritten: true, isInARow: false })
})

test('a table that was taken out of the publication is missed', () => {
  const barrier = new SchemaBarrier(CHANGES_IN_A_ROW_MS)
  expect(barrier.message('holdfast:unpublished', String(SYNCED), followed)).toBe(true)
  expect(barrier.commit(7).stops).toBe(true)
  expect(barrier.takeRewritten()).toEqual([SYNCED])
})

test('an altered type is told with the change that the reader stops at', () => {
  const barrier = after(['holdfast:ddl', 'ALTER TYPE'])
  barrier.commit(7)
  expect(barrier.takeChanges()).toEqual({ by: [7], isTypeAltered: true, isRewritten: false, isInARow: false })
})

/** A change that stops the reader, and another one so many milliseconds later. */
function afterAnother(ms: number, ...messages: readonly (readonly [prefix: string, content: string])[]): SchemaBarrier {
  const barrier = new SchemaBarrier(CHANGES_IN_A_ROW_MS)
  barrier.begin(1_000_000)
  barrier.message('holdfast:ddl', 'CREATE POLICY', followed)
  barrier.commit(7)
  barrier.takeChanges()
  barrier.begin(1_000_000 + ms)
  for (const [prefix, content] of messages) barrier.message(prefix, content, followed)
  return barrier
}

test('in a row of changes, one apart from what the plan follows does not stop the reader', () => {
  const barrier = afterAnother(900, ['holdfast:apart', String(OTHER)], ['holdfast:ddl', 'CREATE POLICY'])
  expect(barrier.commit(8)).toEqual({ stops: false, hasQuietChange: false, hasApartChange: true })
  barrier.begin(1_001_800)
  barrier.message('holdfast:apart', String(OTHER), followed)
  barrier.message('holdfast:ddl', 'ALTER TABLE', followed)
  expect(barrier.commit(9).stops).toBe(false)
})

test('one that comes by itself stops the reader, so that all of it shows at one checkpoint', () => {
  const barrier = afterAnother(1_000, ['holdfast:apart', String(OTHER)], ['holdfast:ddl', 'CREATE POLICY'])
  expect(barrier.commit(8).stops).toBe(true)
  expect(barrier.takeChanges()).toEqual({ by: [8], isTypeAltered: false, isRewritten: false, isInARow: false })
})

test.each([SYNCED, DEPENDED])(
  'in a row of changes, one of table %i, which the plan follows, stops the reader',
  (table) => {
    const barrier = afterAnother(1, ['holdfast:apart', `${OTHER},${table}`], ['holdfast:ddl', 'DROP POLICY'])
    expect(barrier.commit(8).stops).toBe(true)
    expect(barrier.takeChanges()).toEqual({ by: [8], isTypeAltered: false, isRewritten: false, isInARow: true })
  },
)

test('a change that the plan in use was compiled after does not stop the reader, unless rows were rewritten or a type altered', () => {
  const saw = (): boolean => true
  expect(after(['holdfast:ddl', 'CREATE POLICY']).commit(7, saw).stops).toBe(false)
  expect(after(['holdfast:ddl', 'ALTER TYPE']).commit(7, saw).stops).toBe(true)
  expect(after(['holdfast:rewrite', String(SYNCED)], ['holdfast:ddl', 'ALTER TABLE']).commit(7, saw).stops).toBe(true)
})
