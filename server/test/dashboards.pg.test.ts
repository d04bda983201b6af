/** Who reads and changes dashboards, and that Postgres and the app accept the same settings. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session, type Transaction } from '@holdfast/postgres'
import { dashboardProblem } from '@holdfast/protocol'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { runsOf } from '@holdfast/test-support/runs'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const LEAD = 'aaaaaaaa-0000-4000-8000-000000000001'
const MEMBER = 'aaaaaaaa-0000-4000-8000-000000000002'
const STRANGER = 'aaaaaaaa-0000-4000-8000-000000000003'
const TEAM = 'bbbbbbbb-0000-4000-8000-000000000001'
const WORKSPACE = 'cccccccc-0000-4000-8000-000000000001'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(
    sql.trusted(`
      insert into auth.users (id, aud, role) select u::uuid, 'authenticated', 'authenticated' from unnest('{${LEAD},${MEMBER},${STRANGER}}'::text[]) u;
      insert into holdfast.workspaces (id, name) values ('${WORKSPACE}', 'Water works');
      insert into holdfast.members (workspace_id, user_id, role, name) values ('${WORKSPACE}', '${LEAD}', 'admin', 'Lead'), ('${WORKSPACE}', '${MEMBER}', 'editor', 'Member');
      insert into holdfast.teams (id, workspace_id, name, area) values ('${TEAM}', '${WORKSPACE}', 'North', 'north');
      insert into holdfast.team_members (team_id, user_id, function) values ('${TEAM}', '${MEMBER}', 'member')`),
  )
})
afterAll(() => database[Symbol.asyncDispose]())

const session = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const as = <T>(user: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  runAs(database.requestPool, session(user), work)

async function add(user: string, scope: string, config: object = { version: 1, tiles: [] }): Promise<string> {
  const [row] = await as(user, (tx) =>
    tx.query<{ id: string }>(sql`
      insert into holdfast.dashboards (name, scope, owner_id, config)
      values ('Overview', ${scope}, ${user}, ${JSON.stringify(config)}) returning id`),
  )
  return row?.id ?? ''
}
const rename = (user: string, id: string): Promise<number> =>
  as(user, (tx) => tx.execute(sql`update holdfast.dashboards set name = 'Renamed' where id = ${id}`))
const isSeen = async (user: string, id: string): Promise<boolean> =>
  (await as(user, (tx) => tx.query(sql`select from holdfast.dashboards where id = ${id}`))).length === 1

describe('who has a dashboard', () => {
  test.each([
    { scope: 'personal', by: MEMBER, readers: [MEMBER], editors: [MEMBER] },
    { scope: 'shared', by: MEMBER, readers: [MEMBER, LEAD], editors: [MEMBER, LEAD] },
    { scope: 'locked', by: LEAD, readers: [MEMBER, LEAD], editors: [LEAD] },
  ])('a $scope one', async ({ scope, by, readers, editors }) => {
    const id = await add(by, scope)
    for (const user of [LEAD, MEMBER, STRANGER]) {
      expect(await isSeen(user, id), user).toBe(readers.includes(user))
      expect(await rename(user, id), user).toBe(editors.includes(user) ? 1 : 0)
    }
  })

  test('members lock none, and strangers share none', async () => {
    await expect(add(MEMBER, 'locked')).rejects.toMatchObject({ code: '42501' })
    await expect(add(STRANGER, 'shared')).rejects.toMatchObject({ code: '42501' })
  })

  test('the owner and the workspace stay', async () => {
    const id = await add(MEMBER, 'shared')
    await as(LEAD, (tx) => tx.execute(sql`update holdfast.dashboards set owner_id = ${LEAD} where id = ${id}`))
    const [row] = await database.pool.query(
      sql`select owner_id, workspace_id from holdfast.dashboards where id = ${id}`,
    )
    expect(row).toEqual({ owner_id: MEMBER, workspace_id: WORKSPACE })
  })
})

const TILE = { id: 'a', kind: 'bar', table: 'actions', group: { field: 'state' }, width: 2, height: 1 }

describe('settings', () => {
  test('a tile of an unknown kind is refused with the reason', async () => {
    await expect(add(MEMBER, 'shared', { version: 1, tiles: [{ ...TILE, kind: 'gauge' }] })).rejects.toMatchObject({
      code: '23514',
      hint: 'dashboard.config',
      message: 'The tile a has a kind that this version does not know.',
    })
  })

  // Values that are valid for one setting or another, and some that are valid for none.
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      'bar',
      'stacked',
      'number',
      'gauge',
      'count',
      'sum',
      'month',
      'state',
      '',
      'x'.repeat(201),
      'é'.repeat(80),
    ),
    fc.constantFrom<unknown>(
      0,
      1,
      2,
      4,
      5,
      1.5,
      null,
      true,
      [],
      {},
      ['state'],
      ['state', ''],
      [3],
      { f: 'due_on' },
      { f: '' },
      { 'f f': 'a' },
    ),
    fc.constantFrom<unknown>(
      { field: 'state' },
      { field: 'due_on', by: 'month' },
      { field: 'due_on', by: 'hour' },
      { by: 'day' },
      { field: '' },
    ),
    fc.constantFrom<unknown>(
      { kind: 'count' },
      { kind: 'sum', field: 'cost' },
      { kind: 'sum' },
      { kind: 'count', field: 'cost' },
      { kind: ['sum'], field: 'a' },
    ),
    fc.constantFrom<unknown>(
      Array.from({ length: 9 }, () => 'state'),
      ['month'],
      [1],
    ),
  )
  const setting = fc.constantFrom(
    'id',
    'kind',
    'title',
    'table',
    'filter',
    'group',
    'stack',
    'measure',
    'sort',
    'fields',
    'date',
    'point',
    'width',
    'height',
    'linked',
    'colour',
  )
  const tile = fc
    .record({
      base: fc.constantFrom<object>(
        TILE,
        { ...TILE, kind: 'stacked', stack: { field: 'site_id' } },
        { id: 'b', kind: 'number', table: 'sites', width: 1, height: 1, measure: { kind: 'sum', field: 'cost' } },
      ),
      changes: fc.dictionary(setting, value, { maxKeys: 2 }),
      without: fc.option(setting, { freq: 4 }),
    })
    .map(({ base, changes, without }) =>
      Object.fromEntries(Object.entries({ ...base, ...changes }).filter(([key]) => key !== without)),
    )
  const filter = fc.oneof(
    fc.constantFrom<unknown>(
      { id: 'f', kind: 'date', field: 'due_on' },
      { id: 'g', kind: 'size', field: 'a' },
      { id: 'f', kind: 'choice', field: 'state' },
      3,
    ),
  )
  const config = fc.oneof(
    { weight: 8, arbitrary: fc.record({ version: fc.constant(1), tiles: fc.array(tile, { maxLength: 2 }) }) },
    fc.record(
      {
        version: fc.constantFrom<unknown>(1, 2, '1', null),
        tiles: fc.constantFrom<unknown>(
          [],
          null,
          {},
          [3],
          Array.from({ length: 25 }, (_, n) => ({ ...TILE, id: `t${n}` })),
        ),
        filters: fc.array(filter, { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
    fc.constantFrom<unknown>(null, [], 3, { version: 1, tiles: [], colour: 'red' }),
  )

  test('Postgres accepts what the app accepts, for the same reasons', async () => {
    const configs = fc.sample(config, { numRuns: runsOf(1_200), seed: 38 })
    const rows = await database.pool.query<{ problem: string | null }>(sql`
      select holdfast.dashboard_problem(c.value) as problem
        from jsonb_array_elements(${JSON.stringify(configs)}::jsonb) with ordinality c (value, place) order by c.place`)
    const [accepted, refused] = [
      rows.filter(({ problem }) => problem === null),
      rows.filter(({ problem }) => problem !== null),
    ]
    expect(accepted.length).toBeGreaterThan(20)
    expect(refused.length).toBeGreaterThan(20)
    const differing = configs.filter(
      (one, index) => (dashboardProblem(one) === undefined) !== (rows[index]?.problem === null),
    )
    expect(differing).toEqual([])
    // Of several wrong settings, either may be named.
    const reasons = configs.flatMap((one, index) => {
      const [app, postgres] = [dashboardProblem(one) ?? null, rows[index]?.problem ?? null].map((text) =>
        text?.replace(/: \w+\.$|lacks its \w+/, ''),
      )
      return app === postgres ? [] : [[one, app, postgres]]
    })
    expect(reasons).toEqual([])
  })
})
