import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Transaction } from '@holdfast/postgres'
import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { CONDITIONS, openChangeWorld, PEOPLE, type ChangeWorld, type Told } from './change-world.ts'
import { makeStep, type Row } from './random-transactions.ts'

/*
 * Pins the behaviour when memberships change in neighbouring transactions (decision 67). A row is judged as committed, with the memberships of a later moment.
 * Here all transactions commit before the stream delivers the first, the latest possible moment: everyone is told exactly what Postgres shows of each row
 * version under the final memberships. A difference from the state at commit therefore requires a membership change in between, and users who lost access are
 * never told.
 */

const HISTORIES = runsOf(2, { variable: 'HOLDFAST_CHANGES_HISTORIES' })
const STEPS = 8
const TRANSACTIONS_TOGETHER = 4

type Client = Transaction['client']
type Person = (typeof PEOPLE)[number]

/** A committed version of a document. */
interface Version extends Row {
  /** Composite literal. */
  readonly literal: string
  /** Visibility at commit, by index in {@link PEOPLE}. */
  readonly seenAtCommit: readonly boolean[]
  /** Whether its transaction was the last to change memberships, or a later one. */
  isBehindMemberships: boolean
}

let world: ChangeWorld
const told: Told[][] = PEOPLE.map(() => [])

beforeAll(async () => {
  world = await openChangeWorld()
  PEOPLE.forEach((identity, index) => world.follow(identity, told[index] as Told[]))
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** Whether a user may select a document within the open transaction. */
async function maySeeNow(client: Client, { role, claims }: Person, id: number): Promise<boolean> {
  await client.query('savepoint person')
  try {
    await client.query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims),
      role,
    ])
    return (await client.query(`select from "Docs" where id = ${id}`)).rowCount === 1
  } catch {
    return false // a failing policy shows nothing
  } finally {
    await client.query('rollback to savepoint person')
  }
}

async function everybodyNow(client: Client, id: number): Promise<readonly boolean[]> {
  const seen: boolean[] = []
  for (const person of PEOPLE) seen.push(await maySeeNow(client, person, id))
  return seen
}

/** Commits a random transaction. @returns the resulting versions, and whether memberships changed */
async function commitOne(
  statements: readonly string[],
  rows: readonly Row[],
): Promise<{ readonly versions: readonly Version[]; readonly changedMemberships: boolean }> {
  return await world.db.pool.transaction(async ({ client }) => {
    for (const statement of statements) await client.query(statement)
    const versions: Version[] = []
    for (const row of rows) {
      const { rows: found } = await client.query<{ literal: string }>(
        `select d::text as literal from "Docs" d where id = ${row.id}`,
      )
      const literal = found[0]?.literal ?? ''
      versions.push({ ...row, literal, seenAtCommit: await everybodyNow(client, row.id), isBehindMemberships: true })
    }
    return { versions, changedMemberships: statements.some((statement) => statement.includes('members')) }
  })
}

/** Visibility of a version in the final state. */
async function seenAtEnd({ id, literal }: Version): Promise<readonly boolean[]> {
  return await world.db.pool.withClient(async (client) => {
    await client.query('begin')
    try {
      await client.query(`delete from "Docs" where id = ${id}`)
      await client.query('insert into "Docs" select ($1::"Docs").*', [literal])
      return await everybodyNow(client, id)
    } finally {
      await client.query('rollback')
    }
  })
}

test.each(Array.from({ length: HISTORIES }, (_, index) => seedOf('HOLDFAST_CHANGES_SEED') + index))(
  'rows of transactions between which memberships change are told with the memberships that there are then (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const ids = new Set<number>()
    let last = 0
    await world.run('truncate "Docs", members')
    for (let step = 0; step < STEPS; step++) {
      const condition = random.pick(CONDITIONS.filter((one) => /members|is_member/.test(one)))
      await world.run(
        `drop policy if exists one on "Docs"; create policy one on "Docs" for select using (${condition})`,
      )
      for (const own of told) own.length = 0
      world.hold()
      const versions: Version[] = []
      for (let number = 0; number < TRANSACTIONS_TOGETHER; number++) {
        const { statements, rows } = makeStep(random, ids, undefined, () => ++last)
        const { versions: added, changedMemberships } = await commitOne(statements, rows)
        if (changedMemberships) for (const earlier of versions) earlier.isBehindMemberships = false
        versions.push(...added)
      }
      world.release()
      await expect.poll(() => told[0]?.length).toBe(versions.length)
      const wanted = PEOPLE.map((): unknown[] => [])
      for (const version of versions) {
        const isGone = version.kind === 'DELETE'
        const seen = isGone ? PEOPLE.map(() => true) : await seenAtEnd(version)
        seen.forEach((isSeen, index) => isSeen && wanted[index]?.push([version.kind, version.id]))
        if (!isGone && version.isBehindMemberships) expect(seen).toEqual(version.seenAtCommit)
      }
      const got = told.map((own) =>
        own.map(({ type, record, old_record: old }) => [type, (record?.['id'] ?? old?.['id']) as number]),
      )
      expect({ step, condition, got }).toEqual({ step, condition, got: wanted })
    }
  },
)
