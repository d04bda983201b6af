/**
 * Postgres is the oracle. For random write policies and rows: if the rules refuse a write, Postgres refuses it, tried as the user in a rolled-back transaction.
 * `HOLDFAST_WRITE_RUNS` sets the number of worlds, `HOLDFAST_WRITE_SEED` repeats a run.
 */
import { judgeWrite, type Judgement, type RuleRow, type WriteRules } from '@holdfast/protocol'
import { runAs, sql, type Session, type Transaction } from '@holdfast/postgres'
import {
  CLASS_FORMS,
  createRandom,
  LINK_FORMS,
  PERSON_FORMS,
  POLICY_USERS as USERS,
  ROW_FORMS,
  runsOf,
  seedOf,
} from '@holdfast/test-support'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileWriteRules, FACT_VALUES_MAX, readWriteInput } from '../src/index.ts'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'

const RUNS = runsOf(5, { variable: 'HOLDFAST_WRITE_RUNS', least: 2 })
const SEED = seedOf('HOLDFAST_WRITE_SEED')

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
  await world.run(
    'grant insert, update, delete on public.items to anon, authenticated',
    'alter table public.items add column ratio double precision, add column rounded numeric(4, 1)',
    `create function public.is_list_open(list_id int) returns boolean language sql stable security definer set search_path = '' as $$
      select not exists (select 1 from public.lists l where l.id = is_list_open.list_id and l.kind = 'closed') $$`,
    `create function public.fill_item() returns trigger language plpgsql as $$
      begin
        new.team := coalesce(new.team, 'red');
        if new.n is distinct from 3 then new.code = lower(new.code); end if;
        return new;
      end $$`,
  )
})

afterAll(() => world[Symbol.asyncDispose]())

type Values = Record<string, string | number | boolean | null>

interface Tried {
  readonly session: Session
  readonly command: 'insert' | 'update' | 'delete'
  readonly before: RuleRow | undefined
  readonly after: RuleRow | undefined
  readonly changed: readonly string[]
  /** The record is created first in the same transaction, as on the device. */
  readonly isMade?: boolean
}

/** Row constraints. */
const CHECK_FORMS = [
  'n between 1 and 2',
  'n > 1',
  'length(team) <= 3',
  'char_length(btrim(team)) between 1 and 4',
  "team in ('red', 'blue')",
  'price >= 0 and price < 10.5',
  'price <> 1.25',
  'ratio between -0.5 and 1',
  "(status = 'open') = (owner_id is not null)",
  '(n = 1) <> (is_public)',
  "status <> 'closed' or length(rtrim(team)) > 3",
  "day <= '2026-01-02'",
  'is_public is not true or n is not null',
]

/** Column defaults: constants, user-dependent ones, and those only Postgres knows. */
const DEFAULT_FORMS = [
  { column: 'team', values: ["'red'", "'far'::text", "(auth.jwt() ->> 'team')"] },
  { column: 'status', values: ["'open'"] },
  { column: 'owner_id', values: ['auth.uid()'] },
  { column: 'n', values: ['2', 'floor(random() * 3)::int'] },
  { column: 'is_public', values: ['true'] },
  { column: 'day', values: ["'2026-01-01'", 'current_date'] },
  { column: 'price', values: ['0.5'] },
]

/** Row lookups, which are rare among the other forms. */
const LOOKUP_FORMS = [
  'exists (select 1 from lists l where l.id = items.list_id and l.is_open)',
  "not exists (select 1 from lists l where l.id = list_id and l.kind = 'closed')",
  'exists (select 1 from lists l join admins a on a.id = l.org_id where l.id = list_id and a.user_id = auth.uid())',
  'may_see_list_definer(list_id)',
  'is_list_open(list_id)',
]

test(
  `what the rules refuse, Postgres refuses (${RUNS} worlds, seed ${SEED})`,
  { timeout: 300_000 + RUNS * 3_000 },
  async () => {
    const random = createRandom(SEED)
    const pick = <T>(list: readonly T[]): T => random.pick(list)
    const counts = { refused: 0, allowed: 0, unknown: 0 }
    for (let run = 0; run < RUNS; run++) {
      await world.run(...randomPolicies(pick))
      await fill(pick)
      await world.run(...randomConstraints(pick))
      const sessions = randomSessions(pick)
      for (const session of sessions) {
        const rules = await rulesFor(session)
        const rows = await deviceRows(session)
        for (const tried of randomWrites(session, rows.get('items') ?? new Map(), pick)) {
          const judgement = judge(tried, rules, rows)
          counts[judgement.kind]++
          if (judgement.kind === 'unknown') continue
          const outcome = await attempt(tried)
          const shown = JSON.stringify({ tried, judgement, seed: SEED, run })
          if (judgement.kind === 'refused') expect(outcome, shown).not.toBe('done')
          else expect(outcome, shown).not.toBe('policy')
        }
      }
    }
    // Guards against rules that decide nothing.
    expect(counts.refused).toBeGreaterThan(RUNS * 5)
    expect(counts.allowed).toBeGreaterThan(RUNS)
  },
)

function randomPolicies(pick: <T>(list: readonly T[]) => T): readonly string[] {
  const leaf = (): string =>
    pick(
      [ROW_FORMS, ROW_FORMS, PERSON_FORMS, LINK_FORMS, LINK_FORMS, CLASS_FORMS, LOOKUP_FORMS, LOOKUP_FORMS].map(pick),
    )
  const condition = (): string =>
    pick([
      leaf,
      leaf,
      leaf,
      () => `(${leaf()}) and (${leaf()})`,
      () => `(${leaf()}) or (${leaf()})`,
      () => `not (${leaf()})`,
    ])()
  const statements = ['w0', 'w1', 'w2', 'x0', 'x1', 'seen'].map(
    (name) => `drop policy if exists ${name} on public.items`,
  )
  const create = (name: string, kind: string): string => {
    const command = pick(['insert', 'update', 'delete', 'all'])
    const using = command === 'insert' ? '' : ` using (${condition()})`
    const check =
      command === 'delete' || (command !== 'insert' && pick([true, false])) ? '' : ` with check (${condition()})`
    return `create policy ${name} on public.items as ${kind} for ${command} to ${pick(['public', 'authenticated'])}${using}${check}`
  }
  return [
    ...statements,
    ...['k0', 'k1', 'k2'].map((name) => `alter table public.items drop constraint if exists ${name}`),
    'alter table public.items alter column is_public drop not null',
    'create policy seen on public.items for select using (true)',
    ...['w0', 'w1', 'w2'].map((name) => create(name, 'permissive')),
    ...pick([[], ['x0'], ['x0', 'x1']]).map((name) => create(name, 'restrictive')),
    'drop trigger if exists fill_item on public.items',
    ...pick([
      [],
      [
        'create trigger fill_item before insert or update on public.items for each row execute function public.fill_item()',
      ],
    ]),
    'alter table public.lists enable row level security',
    'drop policy if exists seen on public.lists',
    `create policy seen on public.lists for select using (${pick(['true', 'is_open', 'owner_id = auth.uid()'])})`,
    'alter table public.admins enable row level security',
    'drop policy if exists seen on public.admins',
    `create policy seen on public.admins for select using (${pick(['true', 'user_id = auth.uid()'])})`,
  ]
}

/** Constraints on new rows; existing rows may violate them, as with a later constraint. */
function randomConstraints(pick: <T>(list: readonly T[]) => T): readonly string[] {
  const checks = pick([[], ['k0'], ['k0', 'k1'], ['k0', 'k1', 'k2']])
  const required = [
    'update public.items set is_public = false where is_public is null',
    'alter table public.items alter column is_public set not null',
  ]
  return [
    ...pick([[], required]),
    ...DEFAULT_FORMS.flatMap(({ column, values }) => [
      `alter table public.items alter column ${column} drop default`,
      ...pick([[], values])
        .slice(0, 1)
        .map(() => `alter table public.items alter column ${column} set default ${pick(values)}`),
    ]),
    ...checks.map((name) => `alter table public.items add constraint ${name} check (${pick(CHECK_FORMS)}) not valid`),
  ]
}

const ITEM_VALUES: Readonly<Record<string, readonly (string | number | boolean | null)[]>> = {
  list_id: [1, 2, 3, null],
  org_id: [1, 2, 3, null],
  owner_id: [...USERS, null],
  team: ['red', 'Red', 'blue', '', null],
  code: ['c1', 'd2', null],
  status: ['draft', 'open', 'closed', null],
  n: [1, 2, 3, null],
  is_public: [true, false, null],
  day: ['2026-01-01', '2026-01-03', 'infinity', null],
  price: ['0', '1.250', '10.5', '-0.01', 3, null],
  ratio: [0.5, -0.5, 1.5, -1, null],
}

/** Texts longer than the column: Postgres truncates only spaces. */
const LONG_TEAMS = ['far too long', 'red         ']

function randomItem(pick: <T>(list: readonly T[]) => T, isNew = false): Values {
  const values = Object.entries(ITEM_VALUES).map(([name, of]) => [name, pick(of)] as const)
  return {
    ...Object.fromEntries(values),
    ...(isNew && pick([true, false, false, false]) ? { team: pick(LONG_TEAMS) } : {}),
  }
}

async function fill(pick: <T>(list: readonly T[]) => T): Promise<void> {
  await world.run('truncate public.members, public.lists, public.grants, public.admins, public.items')
  const insert = async (table: string, count: number, row: () => Values): Promise<void> => {
    const list = Array.from({ length: count }, (_, index) => ({ id: index + 1, ...row() }))
    const into = sql.identifier('public', table)
    await world.database.pool.execute(
      sql`insert into ${into} select * from jsonb_populate_recordset(null::${into}, ${JSON.stringify(list)}::jsonb) on conflict do nothing`,
    )
  }
  const small = (): number | null => pick([1, 2, 3, null])
  const user = (): string | null => pick([...USERS, null])
  await insert('members', 5, () => ({ org_id: small(), user_id: user(), role: pick(['admin', 'owner', 'guest']) }))
  await insert('lists', 3, () => ({
    org_id: small(),
    owner_id: user(),
    kind: pick(['draft', 'open', 'closed', null]),
    is_open: pick([true, false, null]),
  }))
  await insert('grants', 4, () => ({ list_id: small(), user_id: user(), level: small() }))
  await insert('admins', 2, () => ({ user_id: user() }))
  await insert('items', 6, () => randomItem(pick))
}

function randomSessions(pick: <T>(list: readonly T[]) => T): readonly Session[] {
  return USERS.slice(0, 2).map((sub) => ({
    role: 'authenticated',
    claims: {
      role: 'authenticated',
      sub,
      team: pick(['red', 'blue', null]),
      teams: pick(['red,blue', '', null]),
      code: pick(['c1', null]),
      n: pick(['1', '2', null]),
      flag: pick(['true', 'f', null]),
      status: pick(['open', null]),
      app_metadata: pick([{ tier: 'pro' }, {}]),
    },
  }))
}

/** As returned by the server. */
async function rulesFor(session: Session): Promise<WriteRules> {
  const input = await readWriteInput(world.database.compilerPool)
  const synced = new Set(
    input.policies.tables.filter(({ schema, rls }) => schema === 'public' && rls).map(({ oid }) => oid),
  )
  const { tables, facts } = await compileWriteRules(input, session.role, synced)
  const found: Record<string, WriteRules['facts'][string]> = {}
  for (const fact of facts) {
    const value = await runAs(world.database.requestPool, session, async (tx) => {
      const [row] = await tx.query<{ value: string | null | string[] }>(sql`select ${sql.trusted(fact.sql)} as value`)
      return row?.value ?? null
    }).catch(() => undefined)
    if (value === undefined || (Array.isArray(value) && value.length > FACT_VALUES_MAX)) continue
    found[fact.name] = { value, reads: [] }
  }
  return { version: '', tables, facts: found }
}

type DeviceRows = ReadonlyMap<string, ReadonlyMap<string, RuleRow>>

/** The rows visible to the user, with local database values. */
async function deviceRows(session: Session): Promise<DeviceRows> {
  const tables = new Map<string, ReadonlyMap<string, RuleRow>>()
  for (const name of ['items', 'lists', 'admins']) {
    const rows = await runAs(world.database.requestPool, session, (tx) =>
      tx.query<{ row: Record<string, unknown> }>(
        sql`select to_jsonb(t) as row from ${sql.identifier('public', name)} t`,
      ),
    ).catch(() => [])
    tables.set(name, new Map(rows.map(({ row }) => [String(row['id']), toLocal(row)])))
  }
  return tables
}

function toLocal(row: Readonly<Record<string, unknown>>): RuleRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  )
}

function randomWrites(
  session: Session,
  items: ReadonlyMap<string, RuleRow>,
  pick: <T>(list: readonly T[]) => T,
): readonly Tried[] {
  const inserts = Array.from({ length: 6 }, (): Tried => {
    const after: RuleRow = { id: 50, ...toLocal(randomItem(pick, true)) }
    return { session, command: 'insert', before: undefined, after, changed: Object.keys(after) }
  })
  const others = [...items.values()].flatMap((before): Tried[] => {
    const column = pick(Object.keys(ITEM_VALUES))
    const after = { ...before, ...toLocal({ [column]: randomItem(pick, true)[column] }) }
    return [
      { session, command: 'update', before, after, changed: [column] },
      { session, command: 'delete', before, after: undefined, changed: [] },
    ]
  })
  const made = Array.from({ length: 6 }, (): Tried => {
    const before: RuleRow = { id: 51, ...toLocal(randomItem(pick)) }
    const column = pick(Object.keys(ITEM_VALUES))
    const after = { ...before, ...toLocal({ [column]: randomItem(pick, true)[column] }) }
    return { session, command: 'update', before, after, changed: [column], isMade: true }
  })
  return [...inserts, ...others, ...made]
}

function judge({ command, before, after, changed, isMade }: Tried, rules: WriteRules, rows: DeviceRows): Judgement {
  return judgeWrite(
    { table: 'items', command, ...(before ? { before } : {}), ...(after ? { after } : {}), changed },
    {
      rules,
      rowOf: (table, id) => rows.get(table)?.get(id) ?? null,
      isCurrent: () => true,
      standingOf: () => (isMade ? 'unsent' : 'stored'),
    },
  )
}

type Outcome = 'done' | 'policy' | 'error' | 'not made'

/** @returns `policy` if row-level security refused the write or hid the row */
async function attempt({ session, command, before, after, changed, isMade }: Tried): Promise<Outcome> {
  const undone = new Error('undone')
  let outcome: Outcome = 'done'
  await runAs(world.database.requestPool, session, async (tx) => {
    if (isMade) {
      outcome = 'not made'
      await perform(tx, 'insert', undefined, before, [])
    }
    outcome = await perform(tx, command, before, after, changed)
    throw undone
  }).catch((error: unknown) => {
    if (error === undone || outcome === 'not made') return
    outcome = (error as { code?: string }).code === '42501' ? 'policy' : 'error'
  })
  return outcome
}

async function perform(
  tx: Transaction,
  command: Tried['command'],
  before: RuleRow | undefined,
  after: RuleRow | undefined,
  changed: readonly string[],
): Promise<'done' | 'policy'> {
  const table = sql.identifier('public', 'items')
  const text = JSON.stringify(after ?? {})
  if (command === 'insert') {
    // A device omits NULLs, so that defaults apply.
    const given = Object.keys(after ?? {}).filter((name) => after?.[name] !== null)
    const columns = sql.join(given.map((name) => sql.identifier(name)))
    await tx.execute(
      sql`insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, ${text}::jsonb)`,
    )
    return 'done'
  }
  const [column] = changed
  const set = sql.identifier(column ?? 'id')
  const rows =
    command === 'delete'
      ? await tx.query(sql`delete from ${table} where id = ${before?.['id']} returning id`)
      : await tx.query(
          sql`update ${table} t set ${set} = n.${set} from jsonb_populate_record(null::${table}, ${text}::jsonb) n where t.id = ${before?.['id']} returning t.id`,
        )
  return rows.length === 0 ? 'policy' : 'done'
}
