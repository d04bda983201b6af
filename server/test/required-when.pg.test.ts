import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeWrite } from '@holdfast/protocol'
import { runAs, sql } from '@holdfast/postgres'
import { JOB_FIELDS, openAccessWorld, sessionOf, USERS, type AccessWorld, type UserName } from './access-world.ts'

// "Required when …" and "may change only from … to …", as Postgres and as the user's device judge a change.

type Value = string | number | boolean | null
type Row = Readonly<Record<string, Value>>
const FIELDS = JOB_FIELDS.map(({ name }) => name)

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** What Postgres and the user's device say about an update: `done`, or the message. */
async function outcomes(user: UserName, before: Row, change: Row): Promise<readonly [string, string]> {
  const undone = new Error('undone')
  const [column, value] = Object.entries(change)[0] ?? []
  const after = { ...before, ...change }
  const rules = await world.rulesFor(user)
  const onServer = await runAs(world.database.requestPool, sessionOf(user), async (tx) => {
    await tx.execute(
      sql`update public.jobs set ${sql.identifier(column ?? '')} = ${value ?? null} where id = ${before['id']}`,
    )
    throw undone
  }).catch((error: unknown) => {
    const { constraint } = error as { constraint?: string }
    return error === undone ? 'done' : (constraint ?? (error as Error).message)
  })
  const judged = judgeWrite(
    { table: 'jobs', command: 'update', before, after, changed: Object.keys(change) },
    { rules, rowOf: () => undefined, isCurrent: () => true },
  )
  if (judged.kind !== 'refused') return [onServer, judged.kind === 'allowed' ? 'done' : judged.kind]
  const { refusal } = judged
  const said = refusal.reason === 'check' ? refusal.check.name : refusal.reason === 'transition' ? refusal.words : ''
  return [onServer, said ?? '']
}

describe('a field that is required when …', () => {
  const blocked = [{ field: 'state', is: 'one_of', values: ['blocked'] }]
  const require = (conditions: unknown, onlyNew = false): Promise<unknown> =>
    world.as(
      'adam',
      sql`select holdfast.set_required_when(${world.workspace}, 'jobs', 'reason', ${JSON.stringify(conditions)}::jsonb, ${onlyNew})`,
    )
  const gaps = async (): Promise<unknown> => {
    const [row] = await world.as<{ gaps: unknown }>(
      'adam',
      sql`select holdfast.required_when_gaps(${world.workspace}, 'jobs', 'reason', ${JSON.stringify(blocked)}::jsonb) as gaps`,
    )
    return row?.gaps
  }
  const job = (state: string | null, reason: string | null): Row => ({ ...NO_JOB, id: randomUUID(), state, reason })
  const NO_JOB: Row = { ...Object.fromEntries(FIELDS.map((field) => [field, null])), created_by: USERS.edda.id }
  const store = async (row: Row): Promise<Row> => {
    await world.database.pool.execute(
      sql`insert into public.jobs (id, state, reason) values (${row['id']}, ${row['state']}, ${row['reason']})`,
    )
    return row
  }

  beforeAll(async () => {
    await world.database.pool.execute(sql`truncate public.jobs cascade`)
  })

  test('lists the records that lack it, refuses until told to spare them, and then holds on server and device', async () => {
    const gap = await store(job('blocked', ''))
    await store(job('blocked', 'ice'))
    const fine = await store(job(null, null))
    expect(await gaps()).toEqual({ count: 1, examples: [gap['id']] })
    await expect(require(blocked)).rejects.toMatchObject({ code: '23514', hint: 'required.gaps' })
    await require(blocked, true)
    const kept = await world.as('adam', sql`select required_when from holdfast.table_rules where table_name = 'jobs'`)
    expect(kept).toEqual([{ required_when: { reason: blocked } }])
    const [comment] = await world.database.pool.query<{ words: string }>(
      sql`select obj_description(oid) as words from pg_constraint where conname = 'required_reason'`,
    )
    expect(comment?.words).toBe('Reason is required when State is blocked.')
    expect(await outcomes('edda', fine, { state: 'blocked' })).toEqual(['required_reason', 'required_reason'])
    expect(await outcomes('edda', fine, { state: 'open' })).toEqual(['done', 'done'])
    expect(await outcomes('edda', gap, { n: 1 })).toEqual(['required_reason', 'required_reason'])
    await require(null)
    expect(await outcomes('edda', fine, { state: 'blocked' })).toEqual(['done', 'done'])
  })

  test('refuses a field that would require itself, and callers who are no admins', async () => {
    await expect(require([{ field: 'reason', is: 'empty' }])).rejects.toMatchObject({ hint: 'access.condition' })
    const call = sql`select holdfast.set_required_when(${world.workspace}, 'jobs', 'reason', null)`
    await expect(world.as('edda', call)).rejects.toMatchObject({ hint: 'people.not_admin' })
  })

  test('steps of a choice hold on server and device, for the role they are for', async () => {
    const steps = [
      { from: 'open', to: 'blocked' },
      { from: 'blocked', to: 'done', role: 'admin' },
    ]
    const limit = (given: unknown): Promise<unknown> =>
      world.as(
        'adam',
        sql`select holdfast.set_transitions(${world.workspace}, 'jobs', 'state', ${JSON.stringify(given)}::jsonb)`,
      )
    await limit(steps)
    const [open, stuck] = [await store(job('open', null)), await store(job('blocked', null))]
    const refused = 'State goes from Open to Blocked.'
    expect(await outcomes('edda', open, { state: 'blocked' })).toEqual(['done', 'done'])
    expect(await outcomes('edda', open, { state: 'done' })).toEqual([refused, refused])
    expect(await outcomes('edda', stuck, { state: 'done' })).toEqual([
      'Not everyone sets State to Done.',
      'Not everyone sets State to Done.',
    ])
    expect(await outcomes('adam', stuck, { state: 'done' })).toEqual(['done', 'done'])
    expect(await world.as('mole', sql`select from holdfast.transitions`)).toEqual([])
    await expect(limit([{ from: 'open', to: 'done', role: 'guest' }])).rejects.toMatchObject({
      hint: 'transitions.steps',
    })
    await limit([])
    expect(await outcomes('edda', open, { state: 'done' })).toEqual(['done', 'done'])
  })
})
