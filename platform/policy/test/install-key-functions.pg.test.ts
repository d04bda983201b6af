import { expect, test } from 'vitest'
import type { Pool, Transaction } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { installKeyFunctions } from '../src/install-key-functions.ts'
import type { KeyFunction, SyncPlan } from '../src/plan.ts'

const KEYS: KeyFunction = {
  name: 'sync.key_1',
  owner: '',
  roles: [],
  probe: undefined,
  statements: [`create or replace function sync.key_1() returns setof text language sql as $$ select 'a' $$`],
}

const PLAN: SyncPlan = { version: '1', tables: [], streams: [], refused: [], keyFunctions: [KEYS], published: [] }

/** The pool of a process that hangs once it has run a statement; it goes on when `hang` is over. */
function hangsAfter(pool: Pool, statement: string, hang: () => Promise<void>): Pool {
  const held = (tx: Transaction): Transaction => ({
    ...tx,
    async execute(fragment) {
      const rows = await tx.execute(fragment)
      if (fragment.render().text === statement) await hang()
      return rows
    },
  })
  return { ...pool, transaction: (body) => pool.transaction((tx) => body(held(tx))) }
}

test('a process that hangs while it creates functions does not keep the next one from creating them', async () => {
  await using db = await openTestDatabase()
  const hangs = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const pool = hangsAfter(db.pool, KEYS.statements[0] ?? '', () => {
    hangs.resolve()
    return goesOn.promise
  })
  const first = installKeyFunctions({ pool, compilerPool: db.compilerPool }, PLAN)
  await hangs.promise
  expect(await installKeyFunctions(db, PLAN)).toBe(PLAN)
  goesOn.resolve()
  await expect(first).rejects.toThrow()
})
