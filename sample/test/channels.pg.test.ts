/**
 * Who may use which private channel, asked as the realtime service asks: a row of the topic is read, and written, as the person. The rules here are written by hand.
 */
import { authMigrations } from '@holdfast/auth'
import { defined, silentLogger } from '@holdfast/foundation'
import { assumeSession, sql, sqlstateOf, type Session, type SqlFragment } from '@holdfast/postgres'
import { realtimeMigrations } from '@holdfast/realtime'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedSample } from '../src/seed.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, realtimeMigrations, serverMigrations] })
  const { pool } = database
  await seedSample({
    pool,
    logger: silentLogger,
    clock: { now: () => Date.UTC(2031, 4, 17, 12) },
    hashPassword: async () => 'no hash',
    hasChannels: true,
  })
})

afterAll(() => database[Symbol.asyncDispose]())

/** The value of the first column of the one row that the superuser sees. */
async function lookUp(query: SqlFragment): Promise<string> {
  const [row] = await database.pool.query<Record<string, string>>(sql`${query} limit 1`)
  return defined(Object.values(row ?? {})[0], 'the sample has such a row')
}

async function sessionOf(name: string, topic: string): Promise<Session> {
  const [user] = await database.pool.query<{ id: string }>(
    sql`select id from auth.users where raw_user_meta_data ->> 'name' = ${name}`,
  )
  const sub = user?.id ?? 'cccccccc-0000-4000-8000-000000000000'
  return {
    role: 'authenticated',
    claims: { role: 'authenticated', sub },
    settings: { 'realtime.topic': topic },
  }
}

/** `read` and `send`, for each of both extensions that the policies allow. */
async function rights(name: string, topic: string): Promise<readonly string[]> {
  const session = await sessionOf(name, topic)
  const read = await database.pool.transaction(async (tx) => {
    await tx.execute(
      sql`insert into realtime.messages (topic, extension) values (${topic}, 'broadcast'), (${topic}, 'presence')`,
    )
    await assumeSession(tx, session)
    return await tx.query<{ extension: string }>(sql`select extension from realtime.messages where topic = ${topic}`)
  })
  const sent: string[] = []
  for (const extension of ['broadcast', 'presence']) {
    try {
      await database.pool.transaction(async (tx) => {
        await assumeSession(tx, session)
        await tx.execute(sql`insert into realtime.messages (topic, extension) values (${topic}, ${extension})`)
      })
      sent.push(extension)
    } catch (error) {
      expect(sqlstateOf(error)).toBe('42501')
    }
  }
  const can = new Set(read.map(({ extension }) => `read ${extension}`))
  return [...[...can].toSorted(), ...sent.map((extension) => `send ${extension}`)]
}

const ALL = ['read broadcast', 'read presence', 'send broadcast', 'send presence']
const PEOPLE = ['Dana Okafor', 'Mina Kaya', 'Ruth Adler', 'Sam Reyes', 'a user without a person'] as const

async function whoMayUse(topic: string): Promise<readonly string[]> {
  const names: string[] = []
  for (const name of PEOPLE) {
    const can = await rights(name, topic)
    expect([[], ALL], `${name} may both read and send, or nothing`).toContainEqual(can)
    if (can.length > 0) names.push(name)
  }
  return names
}

const SAMS = sql`(select contractor_id from public.people where name = 'Sam Reyes')`
const NORTH = sql`(select s.id from public.sites s join public.regions r on r.id = s.region_id where r.name = 'North')`

test('the channel of a table is for members of teams and auditors, not for contractors', async () => {
  expect(await whoMayUse('ws:northline:t:actions')).toEqual(['Dana Okafor', 'Mina Kaya', 'Ruth Adler'])
})

test('the channel of a record is for whoever may read the record', async () => {
  const sams = await lookUp(sql`
    select id from public.actions where contractor_id = ${SAMS} and site_id in ${NORTH} order by id`)
  expect(await whoMayUse(`ws:northline:t:actions:r:${sams}`)).toEqual([
    'Dana Okafor',
    'Mina Kaya',
    'Ruth Adler',
    'Sam Reyes',
  ])
  const southern = await lookUp(sql`
    select id from public.actions
     where contractor_id is distinct from ${SAMS} and site_id not in ${NORTH} order by id`)
  expect(await whoMayUse(`ws:northline:t:actions:r:${southern}`)).toEqual(['Ruth Adler'])
})

test.each([
  ['no topic of the app', 'lobby'],
  ['a table that is not there', 'ws:northline:t:nothing'],
  ['a table that no user may read', 'ws:northline:t:pg_class'],
  ['a record that is not there', 'ws:northline:t:actions:r:cccccccc-0000-4000-8000-000000000000'],
  ['an id of another form', 'ws:northline:t:actions:r:1'],
  ['a name that is no name', 'ws:northline:t:actions"; drop table public.actions; --'],
])('%s belongs to no user', async (_title, topic) => {
  expect(await whoMayUse(topic)).toEqual([])
})
