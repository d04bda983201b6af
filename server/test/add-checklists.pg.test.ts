import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openAccessWorld, USER_NAMES, type AccessWorld, type UserName } from './access-world.ts'

// Checklists that admins add to a table: who sees and gives answers follows the rules of the table, in Postgres and on devices.

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const ALL = { role: 'editor', scope: 'all' }
const RULES = {
  open: { see: [{ role: 'viewer', scope: 'all' }], add: [ALL], change: [ALL], delete: [] },
  'own, of a team, until done': {
    see: [
      { role: 'viewer', scope: 'team', field: 'team_id' },
      { role: 'commenter', scope: 'own' },
    ],
    add: [ALL],
    change: [
      { role: 'editor', scope: 'own', when: [{ field: 'state', is: 'none_of', values: ['done'] }] },
      {
        role: 'viewer',
        scope: 'team',
        field: 'team_id',
        when: [{ field: 'is_urgent', is: 'one_of', values: ['true'] }],
      },
    ],
    delete: [],
  },
  'assigned and urgent': {
    see: [{ role: 'viewer', scope: 'assigned', field: 'assignee_id', when: [{ field: 'is_urgent', is: 'filled' }] }],
    add: [],
    change: [],
    delete: [],
  },
} as const

const definition = (rest: object = {}): string => JSON.stringify({ name: 'Fire walk', ...rest })
const add = (user: UserName, rest?: object, workspace = world.workspace): Promise<readonly object[]> =>
  world.as(user, sql`select holdfast.add_checklist(${workspace}, 'jobs', ${definition(rest)}::jsonb) as added`)
const setRules = (rules: object): Promise<unknown> =>
  world.as('adam', sql`select holdfast.set_access(${world.workspace}, 'jobs', ${JSON.stringify(rules)}::jsonb, true)`)

/** Starts over with a table of jobs without checklists. */
beforeEach(async () => {
  await world.database.pool.execute(sql`
    drop table if exists public.jobs_findings, public.jobs_answers, public.jobs_questions, public.jobs_checklists cascade;
    delete from holdfast.checklists; delete from holdfast.tables where table_name like 'jobs!_%' escape '!';
    alter table public.jobs drop column if exists checklist, drop column if exists checklist_state; delete from public.jobs`)
  await setRules(RULES.open)
})

/** One job with an answer and a finding for each way in which a rule can hold. */
async function fill(): Promise<void> {
  const { pool } = world.database
  await pool.execute(sql`
    insert into public.jobs_questions (checklist, prompt) select id, 'Exit clear?' from public.jobs_checklists;
    alter table public.jobs disable trigger set_created_by`)
  await pool.execute(sql`
    insert into public.jobs (title, created_by, state, is_urgent, team_id, assignee_id)
    select 'j', u, s, g, t, a from unnest(array[null, 'aaaaaaaa-0000-4000-8000-000000000003', 'aaaaaaaa-0000-4000-8000-000000000005']::uuid[]) u,
      unnest('{open,done}'::text[]) s, unnest('{true,null}'::boolean[]) g, unnest(array[null, ${world.teams[0]}]::uuid[]) t,
      unnest(array[null, ${world.members['vera']}]::uuid[]) a`)
  await pool.execute(sql`
    alter table public.jobs enable trigger set_created_by;
    insert into public.jobs_answers (record, question, value_bool) select j.id, q.id, false from public.jobs j, public.jobs_questions q;
    insert into public.jobs_findings (title, record, answer) select 'Blocked', record, id from public.jobs_answers`)
}

const idsOf = async (user: UserName, query: ReturnType<typeof sql>): Promise<readonly string[]> =>
  (await world.as<{ id: string }>(user, query)).map(({ id }) => id).toSorted()

/** Answers and findings are seen with their record, and changed with it, by every user and on every device. */
async function expectFollowing(shown: string): Promise<void> {
  const plan = await world.plan()
  for (const detail of ['jobs_answers', 'jobs_findings']) {
    const table = sql.identifier('public', detail)
    const planned = plan.tables.find(({ localName }) => localName === detail)
    expect(planned, `${detail} ${shown}`).toBeDefined()
    for (const user of USER_NAMES) {
      const where = `${user} ${detail} ${shown}`
      // Rows that the user sees or may change, by those of the table: an update that changes nothing names what may change.
      const seen = await idsOf(user, sql`select d.id from public.jobs j join ${table} d on d.record = j.id`)
      expect(await idsOf(user, sql`select id from ${table}`), where).toEqual(seen)
      if (planned) expect(await world.held(user, planned), where).toEqual(seen)
      const changeable = await idsOf(
        user,
        sql`
        with changed as (update public.jobs set title = title returning id) select d.id from ${table} d join changed c on c.id = d.record`,
      )
      expect(await idsOf(user, sql`update ${table} set record = record returning id`), where).toEqual(changeable)
    }
  }
}

describe('add_checklist', () => {
  test.each([
    ['nobody of the workspace', () => add('mole'), '42501'],
    ['an editor', () => add('edda'), '42501'],
    ['an admin without a name', () => add('adam', { name: ' ' }), 'P0001'],
    [
      'an admin with a choice that the table does not have',
      () => add('adam', { progress: { field: 'state', finish: 'lost' } }),
      'P0001',
    ],
  ])('is refused for %s', async (_, call, code) => {
    await expect(call()).rejects.toMatchObject({ code })
    expect(await world.database.pool.query(sql`select from holdfast.checklists`)).toEqual([])
  })

  test('runs the statements that it shows, once', async () => {
    const finish = { progress: { field: 'state', begin: 'open', finish: 'done' }, labels: { findings: 'Mängel' } }
    const [preview] = await world.as<{ sql: string }>(
      'adam',
      sql`select holdfast.add_checklist_sql(${world.workspace}, 'jobs', ${definition(finish)}::jsonb) as sql`,
    )
    const [added] = await add('adam', finish)
    expect(added).toMatchObject({
      added: { questions: 'jobs_questions', answers: 'jobs_answers', findings: 'jobs_findings' },
    })
    const { pool } = world.database
    const kept = await pool.query(
      sql`select statements from holdfast_private.table_changes where kind = 'add_checklist' order by id desc limit 1`,
    )
    expect(kept).toEqual([{ statements: preview?.sql }])
    expect(await pool.query(sql`select begin_values, finish_values, workspace_id from holdfast.checklists`)).toEqual([
      { begin_values: { state: 'open' }, finish_values: { state: 'done' }, workspace_id: world.workspace },
    ])
    expect(
      await pool.query(sql`select label, is_supporting from holdfast.tables where table_name = 'jobs_findings'`),
    ).toEqual([{ label: 'Mängel', is_supporting: false }])
    await expect(add('adam')).rejects.toThrow('has checklists already')
  })

  test('without findings and with a new field for the progress', async () => {
    await add('olga', { findings: false, progress: { choices: ['In Arbeit', 'Fertig'] } })
    const { pool } = world.database
    expect(await pool.query(sql`select finding_table, finish_values from holdfast.checklists`)).toEqual([
      { finding_table: null, finish_values: { checklist_state: 'Fertig' } },
    ])
    await expect(pool.execute(sql`insert into public.jobs (checklist_state) values ('lost')`)).rejects.toThrow(
      'check constraint',
    )
  })

  test('every role reads what is asked, and only admins change it', async () => {
    await add('adam')
    for (const user of USER_NAMES) {
      const isAdmin = user === 'olga' || user === 'adam'
      const read = await world.as(user, sql`select from public.jobs_checklists`)
      expect(read.length, user).toBe(user === 'mole' ? 0 : 1)
      const renamed = await world.as(user, sql`update public.jobs_checklists set name = 'x' returning id`)
      expect(renamed.length, user).toBe(isAdmin ? 1 : 0)
    }
  })

  test('a question that was answered is not deleted', async () => {
    await add('adam')
    await fill()
    await expect(world.as('adam', sql`delete from public.jobs_checklists`)).rejects.toMatchObject({ code: '23503' })
  })
})

test('answers and findings follow the rules of their table, also when these change later', async () => {
  await add('adam')
  await fill()
  await expectFollowing('when added')
  for (const name of ['own, of a team, until done', 'assigned and urgent', 'open'] as const) {
    await setRules(RULES[name])
    await expectFollowing(name)
  }
})

test('findings with rules of their own keep them', async () => {
  await add('adam')
  await fill()
  const own = JSON.stringify({ see: [], add: [], change: [], delete: [] })
  await world.as('adam', sql`select holdfast.set_access(${world.workspace}, 'jobs_findings', ${own}::jsonb)`)
  await setRules(RULES['assigned and urgent'])
  await setRules(RULES.open)
  expect(await world.as('edda', sql`select from public.jobs_findings`)).toEqual([])
  expect(await world.as('edda', sql`select from public.jobs_answers`)).not.toEqual([])
})
