/**
 * Rules of who may see, add, change and delete records. For random rules and records, their meaning as stated here equals what Postgres lets each user do, what their
 * devices hold, and what their devices say about a write. `HOLDFAST_ACCESS_RUNS` sets the number of rule sets, `HOLDFAST_ACCESS_SEED` repeats a run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeWrite } from '@holdfast/protocol'
import { sql, type SqlFragment } from '@holdfast/postgres'
import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { previewAccess } from '../src/workspaces/access/preview-access.ts'
import { seeAs } from '../src/workspaces/access/see-as.ts'
import {
  dayIn,
  EDITORS,
  isLeftToServer,
  local,
  meetsAll,
  randomConditions,
  rankOf,
  REFUSED_CONDITIONS,
  ZONE,
  type Command,
  type Row,
  type Rule,
  type Rules,
  type Tried,
  type Value,
} from './support/access-conditions.ts'
import { openAccessWorld, sessionOf, USERS, USER_NAMES, type AccessWorld, type UserName } from './access-world.ts'

const RUNS = runsOf(24, { variable: 'HOLDFAST_ACCESS_RUNS', least: 6 })
const SEED = seedOf('HOLDFAST_ACCESS_SEED')
const random = createRandom(SEED)
const pick = <T>(list: readonly T[]): T => random.pick(list)

let world: AccessWorld
beforeAll(async () => {
  world = await openAccessWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const set = (user: UserName, rules: unknown, replace = false): Promise<unknown> =>
  world.as(
    user,
    sql`select holdfast.set_access(${world.workspace}, 'jobs', ${JSON.stringify(rules)}::jsonb, ${replace})`,
  )

/** Whether the record is in the scope of a rule for the user. */
function reaches({ role, scope, field = '' }: Rule, user: UserName, row: Row): boolean {
  if (rankOf(USERS[user].role) < rankOf(role)) return false
  if (scope === 'own') return row['created_by'] === USERS[user].id
  if (scope === 'assigned') return row[field] === world.members[user]
  if (scope === 'team') return ['edda', 'vera'].includes(user) && row[field] === world.teams[0]
  return true
}

const isAdmin = (user: UserName): boolean => rankOf(USERS[user].role) >= rankOf('admin')
const applies = (rule: Rule, user: UserName, row: Row): boolean =>
  reaches(rule, user, row) && meetsAll(rule.when ?? [], row)
const sees = (rules: Rules, user: UserName, row: Row): boolean =>
  isAdmin(user) || rules.see.some((rule) => applies(rule, user, row)) || isShared(user, row)
const isShared = (user: UserName, row: Row): boolean => user === 'gus' && row['title'] === 'shared'

function mayWrite(rules: Rules, user: UserName, before: Row | undefined, after: Row | undefined): boolean {
  if (isAdmin(user)) return true
  if (!before) return rules.add.some((rule) => applies(rule, user, after ?? {}))
  if (!sees(rules, user, before)) return false
  if (!after) return rules.delete.some((rule) => applies(rule, user, before))
  if (isShared(user, before)) return true
  const may = rules.change.some((rule) => applies(rule, user, before))
  return may && rules.change.some((rule) => reaches(rule, user, after)) && sees(rules, user, after)
}

const VALUES: Readonly<Record<string, () => Value>> = {
  title: () => pick(['a', 'it’s "b"', 'A ¼ Prüfung_%', '', null]),
  state: () => pick(['open', 'blocked', 'done', null]),
  n: () => pick([0, 1, -7, 1_000_000, null]),
  is_urgent: () => pick([true, false, null]),
  day: () => pick(['2026-01-01', '2026-02-28', dayIn(ZONE), dayIn(ZONE, -1), dayIn(ZONE, 1), null]),
  price: () => pick([0, 1.5, -2.25, null]),
  seen_at: () => pick(['2026-01-01T00:00:00Z', '2026-01-01T01:00:00.5+02:00', '2026-03-01 12:00:00+00:00', null]),
  team_id: () => pick([...world.teams, null]),
  assignee_id: () => pick([...Object.values(world.members), null]),
}
const FIELDS = Object.keys(VALUES)

function randomRule(command: Command): Rule {
  const scope = pick(
    command === 'add' ? (['all', 'assigned', 'team'] as const) : (['all', 'own', 'assigned', 'team'] as const),
  )
  const field = scope === 'assigned' ? { field: 'assignee_id' } : scope === 'team' ? { field: 'team_id' } : {}
  const when = randomConditions({ random, values: VALUES })
  return { role: pick(['viewer', 'commenter', 'editor']), scope, ...field, ...(when.length > 0 ? { when } : {}) }
}

/** Whoever may write may see: some rules are copied to `see`, the others left out. */
function randomRules(): Rules {
  const list = (command: Command): readonly Rule[] =>
    Array.from({ length: pick([0, 1, 1, 2]) }, () => randomRule(command))
  const writes = { add: list('add'), change: list('change'), delete: list('delete') }
  const needed = [...writes.add, ...writes.change, ...writes.delete].map(({ when, ...rule }) =>
    when && random.chance(0.7) ? rule : { ...rule, ...(when ? { when } : {}) },
  )
  return { ...writes, see: [...list('see'), ...needed] }
}

async function fill(): Promise<readonly Row[]> {
  const rows = Array.from({ length: 12 }, (_, index) => ({
    ...Object.fromEntries(FIELDS.map((field) => [field, VALUES[field]?.() ?? null])),
    ...(index === 0 ? { title: 'shared' } : {}),
    id: random.uuid(),
    created_by: USERS[pick(USER_NAMES)].id,
  }))
  await world.database.pool.execute(sql`truncate public.jobs cascade`)
  await world.database.pool.execute(
    sql`insert into public.jobs (id, created_by, ${sql.join(FIELDS.map((field) => sql.identifier(field)))})
        select id, created_by, ${sql.join(FIELDS.map((field) => sql.identifier(field)))}
          from jsonb_populate_recordset(null::public.jobs, ${JSON.stringify(rows)}::jsonb)`,
  )
  await world.database.pool.execute(sql`
    insert into holdfast.shares (workspace_id, user_id, table_name, record_id, may_change)
    select ${world.workspace}, ${USERS.gus.id}, 'jobs', id, true from public.jobs where title = 'shared'`)
  // Each record has a file with its id.
  await world.database.pool.execute(sql`
    insert into public.jobs_files (id, record_id, field, name, path, media_type, created_by)
    select id, id, 'photos', 'a.jpg', ${USERS.adam.id}::text || '/jobs_files/' || id || '.jpg', 'image/jpeg', ${USERS.adam.id} from public.jobs`)
  return rows
}

function randomWrites(rows: readonly Row[], user: UserName): readonly Tried[] {
  const made: Row = {
    ...Object.fromEntries(FIELDS.map((field) => [field, VALUES[field]?.() ?? null])),
    id: random.uuid(),
    created_by: USERS[user].id,
  }
  const updates = Array.from({ length: 6 }, (): Tried => {
    const before = pick(rows)
    const changed = pick(FIELDS)
    return { before, after: { ...before, [changed]: VALUES[changed]?.() ?? null }, changed }
  })
  return [{ after: made }, ...updates, { before: pick(rows) }, { before: pick(rows) }]
}

const attempt = (user: UserName, { before, after, changed }: Tried): Promise<boolean> =>
  world.isDone(user, writeSql({ ...(before && { before }), ...(after && { after }), ...(changed && { changed }) }))

function writeSql({ before, after, changed }: Tried): SqlFragment {
  if (!after) return sql`delete from public.jobs where id = ${before?.['id']} returning id`
  const values = sql`jsonb_populate_record(null::public.jobs, ${JSON.stringify(after)}::jsonb) v`
  const columns = (prefix: string): SqlFragment =>
    sql.join(['id', ...FIELDS].map((field) => sql`${sql.trusted(prefix)}${sql.identifier(field)}`))
  if (!before)
    return sql`insert into public.jobs (${columns('')}) select ${columns('v.')} from ${values} returning jobs.xmin`
  return sql`update public.jobs t set ${sql.identifier(changed ?? '')} = v.${sql.identifier(changed ?? '')} from ${values} where t.id = ${before['id']} returning t.id`
}

test(
  `rules mean what they say: in Postgres, in buckets and on devices (${RUNS} rule sets, seed ${SEED})`,
  { timeout: 60_000 + RUNS * 8_000 },
  async () => {
    const counts = { done: 0, refused: 0, hidden: 0 }
    let previous: Rules | undefined
    for (let run = 0; run < RUNS; run++) {
      const rules = randomRules()
      const rows = await fill()
      const shown = JSON.stringify({ rules, seed: SEED, run })
      if (previous) await expectPreview(previous, rules, rows)
      previous = rules
      await set('adam', rules).catch((error: unknown) => expect.fail(`${String(error)} ${shown}`))
      const plan = await world.plan()
      const table = plan.tables.find(({ localName }) => localName === 'jobs')
      expect(table, shown).toBeDefined()
      if (!table) continue
      expect(
        table.definitions.filter(({ accessClass }) => accessClass !== undefined),
        shown,
      ).toEqual([])
      for (const user of USER_NAMES) {
        const expected = rows
          .filter((row) => sees(rules, user, row))
          .map((row) => String(row['id']))
          .toSorted()
        counts.hidden += rows.length - expected.length
        const visible = await world.as<{ id: string }>(user, sql`select id from public.jobs`)
        expect(visible.map((row) => row.id).toSorted(), `${user} ${shown}`).toEqual(expected)
        expect(await world.held(user, table), `${user} ${shown}`).toEqual(expected)
      }
      await expectFiles(rules, rows, { plan, shown })
      await expectSeenAs(rules, rows)
      const user = pick(USER_NAMES)
      const onDevice = await world.rulesFor(user)
      for (const tried of randomWrites(rows, user)) {
        const { before, after, changed } = tried
        const expected = mayWrite(rules, user, before, after)
        const where = `${user} ${JSON.stringify(tried)} ${shown}`
        expect(await attempt(user, tried), where).toBe(expected)
        counts[expected ? 'done' : 'refused']++
        if (before && !sees(rules, user, before)) continue
        const { kind } = judgeWrite(
          {
            table: 'jobs',
            command: !before ? 'insert' : after ? 'update' : 'delete',
            ...(before ? { before: local(before) } : {}),
            ...(after ? { after: local(after), changed: changed === undefined ? ['id', ...FIELDS] : [changed] } : {}),
          },
          { rules: onDevice, rowOf: () => undefined, isCurrent: () => true },
        )
        const used = [...rules.see, ...rules.add, ...rules.change, ...rules.delete].map(({ when = [] }) => when)
        if (kind === 'unknown' && used.some((when) => isLeftToServer(when, [before, after]))) continue
        // A trigger keeps created_by, so a device leaves to the server whether a changed record is still the user's own.
        const isLeft =
          kind === 'unknown' && after && [...rules.change, ...rules.see].some(({ scope }) => scope === 'own')
        if (!isLeft) expect(kind, where).toBe(expected ? 'allowed' : 'refused')
      }
    }
    expect(counts.hidden).toBeGreaterThan(RUNS)
    expect(counts.done).toBeGreaterThan(RUNS)
    expect(counts.refused).toBeGreaterThan(RUNS)
  },
)

/** Files are seen by whoever sees their record, and added and removed by whoever may change it. */
async function expectFiles(
  rules: Rules,
  rows: readonly Row[],
  { plan, shown }: { readonly plan: Awaited<ReturnType<AccessWorld['plan']>>; readonly shown: string },
): Promise<void> {
  const files = plan.tables.find(({ localName }) => localName === 'jobs_files')
  const records = plan.tables.find(({ localName }) => localName === 'jobs')
  expect(files?.definitions.filter(({ accessClass }) => accessClass !== undefined)).toEqual([])
  expect(files?.definitions.length, `buckets of files ${shown}`).toBe(records?.definitions.length)
  const idsOf = (some: readonly Row[]): readonly string[] => some.map((row) => String(row['id'])).toSorted()
  for (const user of USER_NAMES) {
    const expected = idsOf(rows.filter((row) => sees(rules, user, row)))
    const visible = await world.as<{ id: string }>(user, sql`select id from public.jobs_files`)
    expect(visible.map(({ id }) => id).toSorted(), `files ${user} ${shown}`).toEqual(expected)
    if (files) expect(await world.held(user, files), `files ${user} ${shown}`).toEqual(expected)
  }
  const user = pick(USER_NAMES)
  const row = pick(rows)
  const id = random.uuid()
  const add = sql`
    insert into public.jobs_files (id, record_id, field, name, path, media_type)
    values (${id}, ${row['id']}, 'photos', 'b.pdf', ${`${USERS[user].id}/jobs_files/${id}.pdf`}, 'application/pdf') returning 1`
  const changes =
    isAdmin(user) ||
    (sees(rules, user, row) && (isShared(user, row) || rules.change.some((rule) => applies(rule, user, row))))
  const adds = changes || (row['created_by'] === USERS[user].id && rules.add.some((rule) => applies(rule, user, row)))
  expect(await world.isDone(user, add), `adds ${user} ${JSON.stringify(row)} ${shown}`).toBe(
    adds && sees(rules, user, row),
  )
  const remove = sql`delete from public.jobs_files where id = ${row['id']} returning 1`
  expect(await world.isDone(user, remove), `removes ${user} ${JSON.stringify(row)} ${shown}`).toBe(changes)
}

const mayStart = (rules: Rules, user: UserName, row: Row): boolean =>
  sees(rules, user, row) &&
  (isAdmin(user) || isShared(user, row) || rules.change.some((rule) => applies(rule, user, row)))

/** A preview counts what the rules will mean, and changes nothing. */
async function expectPreview(before: Rules, after: Rules, rows: readonly Row[]): Promise<void> {
  const needs = { connections: world.database.requestPool, project: world.projectPool }
  const asked = { workspace: world.workspace, table: 'jobs', rules: after }
  const preview = await previewAccess(needs, sessionOf('adam'), asked)
  const count = (holds: (row: Row) => boolean): number => rows.filter(holds).length
  const members = (['edda', 'emil', 'cora', 'vera', 'gus'] as const).map((name) => ({
    name,
    sees: count((row) => sees(after, name, row)),
    gains: count((row) => sees(after, name, row) && !sees(before, name, row)),
    loses: count((row) => !sees(after, name, row) && sees(before, name, row)),
    changes: count((row) => mayStart(after, name, row)),
    changesBefore: count((row) => mayStart(before, name, row)),
  }))
  expect(preview).toMatchObject({ records: rows.length, isPartial: false, members })
}

/** What an admin sees as a member is what the member sees, and by which rules. */
async function expectSeenAs(rules: Rules, rows: readonly Row[]): Promise<void> {
  const name = pick(['edda', 'emil', 'cora', 'vera', 'gus'] as const)
  const seen = await seenAs('adam', name)
  const expected = rows.map((row) => ({
    id: row['id'],
    sees: sees(rules, name, row),
    changes: mayStart(rules, name, row),
    seesBy: [
      ...(isShared(name, row) ? ['guests_read'] : []),
      ...rules.see.flatMap((rule, index) => (applies(rule, name, row) ? [`see_${index + 1}`] : [])),
    ],
  }))
  const byId = (a: { readonly id?: unknown }, b: { readonly id?: unknown }): number =>
    String(a.id).localeCompare(String(b.id))
  const found =
    seen.records?.map(({ id, sees: isSeen, changes, seesBy }) => ({ id, sees: isSeen, changes, seesBy })) ?? []
  expect(found.toSorted(byId), name).toEqual(expected.toSorted(byId))
  const count = (holds: (row: Row) => boolean): number => rows.filter(holds).length
  expect(seen.tables).toEqual([
    {
      table: 'jobs',
      sees: count((row) => sees(rules, name, row)),
      changes: count((row) => mayStart(rules, name, row)),
    },
  ])
}

const seenAs = (caller: UserName, member: string): ReturnType<typeof seeAs> =>
  seeAs(
    {
      connections: world.database.requestPool,
      project: world.projectPool,
      claimsOf: (sub) => Promise.resolve({ role: 'authenticated', sub }),
    },
    sessionOf(caller),
    { workspace: world.workspace, member: world.members[member] ?? member, table: 'jobs' },
  )

describe('set_access', () => {
  test.each(['edda', 'vera', 'gus', 'mole'] as const)('refuses %s, who is no admin', async (user) => {
    await expect(set(user, EDITORS)).rejects.toMatchObject({ code: '42501', hint: 'people.not_admin' })
    await expect(world.as(user, sql`select holdfast.access_of(${world.workspace}, 'jobs')`)).rejects.toMatchObject({
      code: '42501',
    })
  })

  const all: Rule = { role: 'viewer', scope: 'all' }
  const when = (condition: object): object => ({ ...EDITORS, see: [{ ...all, when: [condition] }] })
  test.each<readonly [string, unknown]>([
    ['access.rules', []],
    ['access.rules', { ...EDITORS, peek: [] }],
    ['access.rules', { ...EDITORS, see: Array.from({ length: 9 }, () => all) }],
    ['access.rules', { ...EDITORS, see: [{ ...all, using: 'true' }] }],
    ['access.role', { ...EDITORS, see: [{ ...all, role: 'guest' }] }],
    ['access.role', { ...EDITORS, see: [{ scope: 'all' }] }],
    ['access.scope', { ...EDITORS, see: [{ ...all, scope: 'everything' }] }],
    ['access.scope', { ...EDITORS, add: [{ role: 'editor', scope: 'own' }] }],
    ['access.scope', { ...EDITORS, see: [{ ...all, scope: 'team' }] }],
    ['access.field', { ...EDITORS, see: [{ ...all, scope: 'team', field: 'assignee_id' }] }],
    ['access.field', { ...EDITORS, see: [{ ...all, scope: 'assigned', field: 'created_by' }] }],
    ...REFUSED_CONDITIONS.map(([hint, condition]) => [hint, when(condition)] as const),
    ['access.unseen', { ...EDITORS, see: [] }],
    ['access.unseen', { ...EDITORS, see: [{ role: 'editor', scope: 'own' }] }],
  ])('refuses with %s: %j', async (hint, rules) => {
    await expect(set('adam', rules)).rejects.toMatchObject({ hint })
  })

  test('replaces policies of a developer only if told to, and reads back what was set', async () => {
    const read = async (): Promise<Record<string, unknown>> => {
      const [row] = await world.as<{ value: Record<string, unknown> }>(
        'adam',
        sql`select holdfast.access_of(${world.workspace}, 'jobs') as value`,
      )
      return row?.value ?? {}
    }
    await set('adam', EDITORS, true)
    expect(await read()).toMatchObject({ kind: 'rules', rules: EDITORS })
    const { pool } = world.database
    await pool.execute(sql`alter policy see_1 on public.jobs using (false)`)
    expect(await read()).toMatchObject({ kind: 'custom' })
    await expect(set('adam', EDITORS)).rejects.toMatchObject({ hint: 'access.custom' })
    await set('adam', EDITORS, true)
    expect(await read()).toMatchObject({ kind: 'rules', rules: EDITORS })
    await pool.execute(sql`create policy more on public.jobs for select to anon using (true)`)
    expect(await read()).toMatchObject({ kind: 'custom' })
    await set('adam', EDITORS, true)
  })
})

describe('seeAs', () => {
  test.each([
    ['edda', 'vera', 'not_admin'],
    ['mole', 'vera', 'not_admin'],
    ['adam', '00000000-0000-4000-8000-000000000000', 'member_not_found'],
  ] as const)('refuses %s as %s', async (caller, member, code) => {
    await expect(seenAs(caller, member)).rejects.toMatchObject({ code })
  })

  test('returns no record that the admin does not see, and survives a policy that fails', async () => {
    const { pool } = world.database
    await set('adam', EDITORS, true)
    const rows = await fill()
    await pool.execute(sql`create policy hidden on public.jobs as restrictive for select to authenticated
      using ((select holdfast.role_in(${sql.trusted(`'${world.workspace}'`)})) = 'viewer' or title = 'shared')`)
    const { records, tables } = await seenAs('adam', 'vera')
    expect(records?.map(({ id }) => id)).toEqual([rows[0]?.['id']])
    expect(tables).toEqual([{ table: 'jobs', sees: rows.length, changes: 0 }])
    await pool.execute(sql`alter policy hidden on public.jobs
      using (1 / (case (select holdfast.role_in(${sql.trusted(`'${world.workspace}'`)})) when 'viewer' then 0 else 1 end) = 1)`)
    expect(await seenAs('adam', 'vera')).toMatchObject({
      tables: [{ table: 'jobs', sees: null, changes: null }],
      records: undefined,
    })
    await pool.execute(sql`drop policy hidden on public.jobs`)
  })
})
