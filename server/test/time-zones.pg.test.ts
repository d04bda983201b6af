import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [OLGA, ADAM, EDDA] = [id(1), id(2), id(3)] as const

let database: TestDatabase
let workspace = ''
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(
    sql`insert into auth.users (id, email) values (${OLGA}, 'olga@example.org'), (${ADAM}, 'a@example.org'), (${EDDA}, 'e@example.org')`,
  )
  const [made] = await database.pool.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', 'olga@example.org') as id`,
  )
  workspace = made?.id ?? ''
  await database.pool.execute(sql`
    insert into holdfast.members (workspace_id, user_id, role, name) values (${workspace}, ${ADAM}, 'admin', 'adam'), (${workspace}, ${EDDA}, 'editor', 'edda')`)
})
afterAll(() => database[Symbol.asyncDispose]())

const asked = (sub: string, query: ReturnType<typeof sql>): Promise<readonly object[]> =>
  runAs(database.requestPool, { role: 'authenticated', claims: { role: 'authenticated', sub } }, (tx) =>
    tx.query(query),
  )
const zoneOf = async (): Promise<unknown> =>
  (await database.pool.query(sql`select time_zone, language from holdfast.workspaces where id = ${workspace}`))[0]

describe('the time zone and the language of a workspace', () => {
  const setZone = (who: string, zone: string): Promise<readonly object[]> =>
    asked(who, sql`update holdfast.workspaces set time_zone = ${zone} where id = ${workspace} returning id`)

  test('begin as UTC and English, and are changed by its owners and admins only', async () => {
    expect(await zoneOf()).toEqual({ time_zone: 'UTC', language: 'en' })
    expect(await setZone(EDDA, 'Europe/Berlin')).toEqual([])
    expect(await setZone(ADAM, 'Europe/Berlin')).toHaveLength(1)
    await asked(OLGA, sql`update holdfast.workspaces set language = 'de-AT' where id = ${workspace}`)
    expect(await zoneOf()).toEqual({ time_zone: 'Europe/Berlin', language: 'de-AT' })
  })

  test.each(['Europe/Atlantis', 'posix/Europe/Berlin', 'localtime', 'europe/berlin', 'UTC+3', ''])(
    'refuse a zone that no device knows: %j',
    async (zone) => {
      await expect(setZone(OLGA, zone)).rejects.toThrow(/time zone/)
    },
  )

  test('take every zone that browsers name', async () => {
    const names = Intl.supportedValuesOf('timeZone')
    const unknown = await database.pool.query(sql`
      select n from unnest(${names}::text[]) n where n not in (select name from pg_timezone_names)`)
    expect(unknown).toEqual([])
  })
})

describe('the logo of a workspace', () => {
  const image = (kind: string, bytes: string): string => `data:image/${kind};base64,${bytes}`
  const setLogo = (who: string, logo: string): Promise<readonly object[]> =>
    asked(who, sql`update holdfast.workspaces set logo = ${logo} where id = ${workspace} returning id`)

  test('is changed by owners and admins only', async () => {
    expect(await setLogo(EDDA, image('png', 'iVBORw0KGgo='))).toEqual([])
    expect(await setLogo(ADAM, image('png', 'iVBORw0KGgo='))).toHaveLength(1)
    expect(await setLogo(OLGA, image('webp', 'A'.repeat(98_304 - 23)))).toHaveLength(1)
  })

  test.each([
    ['an SVG, which can contain scripts', image('svg+xml', 'PHN2Zy8+')],
    ['an address', 'https://example.org/logo.png'],
    ['text after the image', `${image('png', 'AAAA')}\n"><script>`],
    ['more than 72 kB', image('png', 'A'.repeat(98_305))],
  ])('is not %s', async (_, logo) => {
    await expect(setLogo(OLGA, logo)).rejects.toThrow(/holdfast_workspaces_logo/)
  })
})
