import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Favourites: each person has their own, and nobody else's.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const ANN = 'aaaaaaaa-0000-4000-8000-000000000001'
const BEN = 'aaaaaaaa-0000-4000-8000-000000000002'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
})
afterAll(() => database[Symbol.asyncDispose]())

const session = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const asked = <Row extends object>(sub: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, session(sub), (tx) => tx.query<Row>(query))
const add = (sub: string, owner: string, kind = 'record'): Promise<readonly { readonly owner_id: string }[]> =>
  asked(
    sub,
    sql`insert into holdfast.favourites (owner_id, kind, table_name, target_id) values (${owner}, ${kind}, 'actions', 'x')
        returning owner_id`,
  )

test('a favourite belongs to who makes it, and only that person has it', async () => {
  expect(await add(ANN, BEN)).toEqual([{ owner_id: ANN }])
  expect(await asked(BEN, sql`select 1 from holdfast.favourites`)).toEqual([])
  expect(await asked(BEN, sql`update holdfast.favourites set position = 1 returning id`)).toEqual([])
  expect(await asked(BEN, sql`delete from holdfast.favourites returning id`)).toEqual([])
  expect(await asked(ANN, sql`update holdfast.favourites set owner_id = ${BEN} returning owner_id`)).toEqual([
    { owner_id: ANN },
  ])
  expect(await asked(ANN, sql`delete from holdfast.favourites returning kind`)).toEqual([{ kind: 'record' }])
})

test('a favourite of another kind, and more than 200 of a person, are refused', async () => {
  await expect(add(ANN, ANN, 'table')).rejects.toThrow('favourites_kind')
  await asked(
    ANN,
    sql`insert into holdfast.favourites (owner_id, kind, table_name, target_id)
        select ${ANN}, 'record', 'actions', n::text from generate_series(1, 200) n`,
  )
  await expect(add(ANN, ANN)).rejects.toMatchObject({ hint: 'favourite.limit' })
  expect(await add(BEN, BEN)).toHaveLength(1)
})
