import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool, runAs, sql, type Session, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { MIGRATIONS } from '../src/migrations.ts'
import { accessCases } from './support/access-cases.ts'
import { AUTOMATION_TABLES, automationCases, automationRows } from './support/automation-cases.ts'
import { changeCases } from './support/change-cases.ts'
import { sharingCases } from './support/sharing-cases.ts'
import { templateCases } from './support/template-cases.ts'

// Whatever people of one workspace may use in schema `holdfast`, with ids of another one. A table or a function that has no case here fails the first test.

const id = (n: number): string => `aaaaaaaa-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
const [WATER, GAS, OLGA, GUS, NINA] = [id(1), id(2), id(3), id(4), id(5)] as const
const [MARK, ALMA, LEA, EMIL, VIC, GINA, STRANGER] = [id(11), id(12), id(13), id(14), id(15), id(16), id(17)] as const
const [TEAM, GAS_TEAM, PIT, SHARE, VIEW, LOCKED, PERSONAL, FIELD, COMMENT] = [21, 22, 23, 24, 25, 26, 27, 28, 29].map(
  id,
) as [string, string, string, string, string, string, string, string, string]
const [MEMBER, TEAM_MEMBER, INVITATION, FAVOURITE, READ_MARK, CHECKLIST, TRANSITION, TABLE] = [
  31, 32, 33, 34, 35, 36, 37, 38,
].map(id) as [string, string, string, string, string, string, string, string]
const [TEMPLATE_LOAD, COMPUTED, LINK, FORM] = [39, 46, 47, 48].map(id) as [string, string, string, string]
type Five = [string, string, string, string, string]
const [GAS_VIEW, GAS_FIELD, GAS_MEMBERSHIP, GAS_SHARE, GAS_PIT] = [41, 42, 43, 44, 45].map(id) as Five
const SECRET = 'x'.repeat(43)

/** People of the other workspace, and one of none. */
const OTHERS = [
  ['its owner', MARK],
  ['an admin', ALMA],
  ['a lead of a team', LEA],
  ['an editor in a team', EMIL],
  ['a viewer', VIC],
  ['a guest', GINA],
  ['somebody of no workspace', STRANGER],
] as const

let database: TestDatabase
let history = ''

beforeAll(async () => {
  database = await openTestDatabase({ migrations: MIGRATIONS })
  await using project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 1 })
  const people = [OLGA, GUS, NINA, ...OTHERS.map(([, user]) => user)]
  for (const user of people) {
    await database.pool.execute(
      sql`insert into auth.users (id, email, email_confirmed_at) values (${user}, ${`${user}@example.org`}, now())`,
    )
  }
  await project.execute(
    sql.trusted(`
    create table public.pits (id uuid primary key, workspace_id uuid references holdfast.workspaces, title text, due_on date);
    alter table public.pits enable row level security;
    grant select, insert, update, delete on public.pits to authenticated;
    create policy people_work on public.pits for all to authenticated
      using ((select holdfast.role_in(workspace_id)) >= 'viewer') with check ((select holdfast.role_in(workspace_id)) >= 'viewer');
    create policy guests_read on public.pits for select to authenticated using (id in (select holdfast.shared_record_ids('pits')));
    create policy guests_change on public.pits for update to authenticated using (id in (select holdfast.changeable_record_ids('pits')));
    select holdfast.track('public.pits');
    insert into holdfast.workspaces (id, name) values ('${WATER}', 'Water works'), ('${GAS}', 'Gas');
    insert into holdfast.members (id, workspace_id, user_id, role, name) values
      ('${MEMBER}', '${WATER}', '${OLGA}', 'owner', 'Olga'), (default, '${WATER}', '${GUS}', 'guest', 'Gus'),
      (default, '${GAS}', '${MARK}', 'owner', 'Mark'), (default, '${GAS}', '${ALMA}', 'admin', 'Alma'), (default, '${GAS}', '${LEA}', 'editor', 'Lea'),
      (default, '${GAS}', '${EMIL}', 'editor', 'Emil'), (default, '${GAS}', '${VIC}', 'viewer', 'Vic'), (default, '${GAS}', '${GINA}', 'guest', 'Gina');
    insert into holdfast.teams (id, workspace_id, name, area) values ('${TEAM}', '${WATER}', 'North', 'N'), ('${GAS_TEAM}', '${GAS}', 'South', 'S');
    insert into holdfast.team_members (id, team_id, user_id, function) values
      ('${TEAM_MEMBER}', '${TEAM}', '${OLGA}', 'lead'), ('${GAS_MEMBERSHIP}', '${GAS_TEAM}', '${LEA}', 'lead'), (default, '${GAS_TEAM}', '${EMIL}', 'member');
    insert into public.pits (id, workspace_id, title) values ('${PIT}', '${WATER}', 'Deep pit'), ('${GAS_PIT}', '${GAS}', 'Gas pit');
    insert into holdfast.invitations (id, workspace_id, email, role, expires_at) values ('${INVITATION}', '${WATER}', '${NINA}@example.org', 'admin', now() + interval '1 day');
    insert into holdfast.shares (id, workspace_id, user_id, table_name, record_id) values
      ('${SHARE}', '${WATER}', '${GUS}', 'pits', '${PIT}'), ('${GAS_SHARE}', '${GAS}', '${GINA}', 'pits', '${GAS_PIT}');
    insert into holdfast.comments (id, table_name, record_id, area, body, author_id) values ('${COMMENT}', 'pits', '${PIT}', 'N', 'Deep words', '${OLGA}');
    insert into holdfast.views (id, table_name, name, scope, owner_id, workspace_id) values
      ('${VIEW}', 'pits', 'Deep ones', 'shared', '${OLGA}', '${WATER}'), ('${LOCKED}', 'pits', 'Deepest', 'locked', '${OLGA}', '${WATER}'),
      ('${PERSONAL}', 'pits', 'Hers', 'personal', '${OLGA}', '${WATER}'), ('${GAS_VIEW}', 'pits', 'Gas', 'shared', '${EMIL}', '${GAS}');
    insert into holdfast.dashboards (id, name, scope, owner_id, workspace_id) select id, name, scope, owner_id, workspace_id from holdfast.views;
    insert into holdfast.fields (id, table_name, field_name, label, workspace_id) values
      ('${FIELD}', 'pits', 'title', 'Deep title', '${WATER}'), ('${GAS_FIELD}', 'pits', 'title', 'Gas title', '${GAS}');
    insert into holdfast.tables (id, table_name, label, workspace_id) values ('${TABLE}', 'pits', 'Deep pits', '${WATER}');
    insert into holdfast.table_rules (id, workspace_id, table_name) values ('${TABLE}', '${WATER}', 'pits');
    insert into holdfast.favourites (id, owner_id, kind, table_name, target_id) values ('${FAVOURITE}', '${OLGA}', 'record', 'pits', '${PIT}');
    insert into holdfast.read_marks (id, owner_id, table_name, record_id) values ('${READ_MARK}', '${OLGA}', 'pits', '${PIT}');
    insert into holdfast.checklists (id, table_name, item_table, answer_table) values ('${CHECKLIST}', 'pits', 'items', 'answers');
    insert into holdfast.transitions (id, table_name, field, to_value) values ('${TRANSITION}', 'pits', 'title', 'new');
    insert into holdfast.computed_fields (id, workspace_id, table_name, field_name, label, kind, definition, result) values
      ('${COMPUTED}', '${WATER}', 'pits', 'depth', 'Depth', 'formula', '{}', 'number');
    insert into holdfast.invite_links (id, workspace_id, role, uses_max, expires_at) values ('${LINK}', '${WATER}', 'editor', 5, now() + interval '1 day');
    insert into holdfast.public_forms (id, workspace_id, view_id, table_name, slug, definition) values ('${FORM}', '${WATER}', '${VIEW}', 'pits', 'deep', '{}');
    ${automationRows(WATER, OLGA)}
    insert into holdfast.view_links (id, workspace_id, table_name, name, slug, definition, expires_at, created_by) values ('${FORM}', '${WATER}', 'pits', 'Deep', 'deep', '{}', now() + interval '1 day', '${OLGA}');
    insert into holdfast.template_loads (id, workspace_id, name, tables) values ('${TEMPLATE_LOAD}', '${WATER}', 'North', '{pits}');`),
  )
  await database.pool.execute(
    sql`insert into holdfast.invitation_secrets (invitation_id, hash) values (${INVITATION}, ${createHash('sha256').update(SECRET).digest()})`,
  )
  const [entry] = await database.pool.query<{ id: string }>(
    sql`select id::text from holdfast.history where record_id = ${PIT}`,
  )
  history = entry?.id ?? ''
})
afterAll(() => database[Symbol.asyncDispose]())

const sessionOf = (sub: string): Session => ({
  role: 'authenticated',
  claims: { role: 'authenticated', sub, session_id: sub },
})

/** What became of a statement, which is taken back. */
async function attempt(
  tx: Transaction,
  statement: SqlFragment,
): Promise<{ readonly refused: string | undefined; readonly rows: readonly object[] }> {
  await tx.execute(sql`savepoint attempt`)
  try {
    return { refused: undefined, rows: await tx.query(statement) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : 'unknown', rows: [] }
  } finally {
    await tx.execute(sql`rollback to savepoint attempt`)
  }
}

interface TableCase {
  /** A row of the workspace that others have nothing of, and who reads it. */
  readonly row: () => string
  readonly reader?: string
  /** A column that authenticated may update, for tables that have one. */
  readonly column?: string
  /** Tries to bring something into the other workspace, or to take something of it. */
  readonly attempts?: readonly SqlFragment[]
  /** The table belongs to the whole project: everybody may read it, and operators may change it. */
  readonly isOfProject?: true
}

const foreign = (...statements: readonly string[]): readonly SqlFragment[] =>
  statements.map((statement) => sql.trusted(`${statement} returning id`))

/** Cases of a table whose rows are personal, shared or locked, as views are. */
const sharedCases = (table: string, columns: string, values: string): TableCase => ({
  row: () => VIEW,
  column: 'name',
  attempts: foreign(
    ...['shared', 'locked'].flatMap((scope) => [
      `insert into holdfast.${table} (${columns}, scope, workspace_id) values (${values}, '${scope}', '${WATER}')`,
      `insert into holdfast.${table} (${columns}, scope, workspace_id) values (${values}, '${scope}', null)`,
    ]),
    `update holdfast.${table} set workspace_id = '${WATER}' where id = '${GAS_VIEW}'`,
    `update holdfast.${table} set workspace_id = null where id = '${GAS_VIEW}'`,
    `update holdfast.${table} set name = 'Ours' where id in ('${LOCKED}', '${PERSONAL}')`,
    `delete from holdfast.${table} where id in ('${LOCKED}', '${PERSONAL}')`,
  ),
})

const TABLES: Readonly<Record<string, TableCase>> = {
  workspaces: {
    row: () => WATER,
    column: 'name',
    attempts: foreign(`update holdfast.workspaces set id = '${WATER}' where id = '${GAS}'`),
  },
  members: {
    row: () => MEMBER,
    attempts: foreign(
      `insert into holdfast.members (workspace_id, user_id, role, name) values ('${WATER}', holdfast.user_id(), 'owner', 'me')`,
      `update holdfast.members set workspace_id = '${WATER}' where user_id = holdfast.user_id()`,
    ),
  },
  invitations: {
    row: () => INVITATION,
    attempts: foreign(
      `insert into holdfast.invitations (workspace_id, email, role, expires_at) values ('${WATER}', 'me@example.org', 'owner', now() + interval '1 day')`,
    ),
  },
  shares: {
    row: () => SHARE,
    column: 'may_change',
    attempts: foreign(
      `insert into holdfast.shares (workspace_id, user_id, table_name, record_id) values ('${WATER}', holdfast.user_id(), 'pits', '${PIT}')`,
      `insert into holdfast.shares (workspace_id, user_id, table_name, record_id) values ('${WATER}', '${GUS}', 'pits', '${GAS_PIT}')`,
      ...['false', 'true'].map(
        (mayChange) =>
          `insert into holdfast.shares (workspace_id, user_id, table_name, record_id, may_change) values ('${GAS}', '${GINA}', 'pits', '${PIT}', ${mayChange})`,
      ),
      `insert into holdfast.shares (workspace_id, user_id, table_name, record_id) values ('${GAS}', '${GUS}', 'pits', '${GAS_PIT}')`,
      `update holdfast.shares set record_id = '${PIT}' where id = '${GAS_SHARE}'`,
    ),
  },
  teams: {
    row: () => TEAM,
    column: 'name',
    attempts: foreign(
      `insert into holdfast.teams (workspace_id, name) values ('${WATER}', 'Ours')`,
      `insert into holdfast.teams (name) values ('Of nobody')`,
      `insert into holdfast.teams (workspace_id, name, area) values ('${GAS}', 'North too', 'N')`,
      `update holdfast.teams set workspace_id = '${WATER}' where id = '${GAS_TEAM}'`,
      `update holdfast.teams set workspace_id = null where id = '${GAS_TEAM}'`,
      `update holdfast.teams set area = 'N' where id = '${GAS_TEAM}'`,
    ),
  },
  team_members: {
    row: () => TEAM_MEMBER,
    column: 'function',
    attempts: foreign(
      `insert into holdfast.team_members (team_id, user_id) values ('${TEAM}', holdfast.user_id())`,
      `insert into holdfast.team_members (team_id, user_id) values ('${GAS_TEAM}', '${OLGA}')`,
      `update holdfast.team_members set team_id = '${TEAM}' where id = '${GAS_MEMBERSHIP}'`,
    ),
  },
  comments: {
    row: () => COMMENT,
    column: 'body',
    attempts: foreign(
      ...['N', 'S'].map(
        (area) =>
          `insert into holdfast.comments (table_name, record_id, area, body, author_id) values ('pits', '${PIT}', '${area}', 'me', holdfast.user_id())`,
      ),
      `insert into holdfast.comments (table_name, record_id, area, parent_id, body, author_id) values ('pits', '${PIT}', 'S', '${COMMENT}', 'me', holdfast.user_id())`,
      `insert into holdfast.comments (table_name, record_id, area, parent_id, body, author_id) values ('pits', '${GAS_PIT}', 'S', '${COMMENT}', 'me', holdfast.user_id())`,
    ),
  },
  history: {
    row: () => history,
    attempts: foreign(
      `insert into holdfast.history (table_name, record_id, kind, actor_role) values ('pits', '${PIT}', 'insert', 'me')`,
    ),
  },
  views: sharedCases('views', 'table_name, name', "'pits', 'Ours'"),
  dashboards: sharedCases('dashboards', 'name', "'Ours'"),
  fields: {
    row: () => FIELD,
    column: 'label',
    attempts: foreign(
      `insert into holdfast.fields (table_name, field_name, is_hidden, workspace_id) values ('pits', 'due_on', true, '${WATER}')`,
      `insert into holdfast.fields (table_name, field_name, is_hidden, workspace_id) values ('pits', 'due_on', true, null)`,
      `update holdfast.fields set workspace_id = '${WATER}' where id = '${GAS_FIELD}'`,
      `update holdfast.fields set workspace_id = null where id = '${GAS_FIELD}'`,
    ),
  },
  tables: {
    row: () => TABLE,
    column: 'label',
    attempts: foreign(
      `insert into holdfast.tables (table_name, label, workspace_id) values ('mine', 'Mine', '${GAS}')`,
    ),
  },
  favourites: {
    row: () => FAVOURITE,
    column: 'position',
    attempts: foreign(`update holdfast.favourites set owner_id = holdfast.user_id() where id = '${FAVOURITE}'`),
  },
  read_marks: {
    row: () => READ_MARK,
    column: 'read_at',
    attempts: foreign(`update holdfast.read_marks set owner_id = holdfast.user_id() where id = '${READ_MARK}'`),
  },
  checklists: { row: () => CHECKLIST, column: 'item_table', isOfProject: true },
  transitions: { row: () => TRANSITION, column: 'words', isOfProject: true },
  template_loads: { row: () => TEMPLATE_LOAD, column: 'name' },
  table_rules: { row: () => TABLE },
  computed_fields: { row: () => COMPUTED },
  invite_links: { row: () => LINK },
  public_forms: { row: () => FORM },
  ...AUTOMATION_TABLES,
  view_links: { row: () => FORM },
}

const READS_ANSWER = [
  'my_workspace_ids',
  'my_member_workspace_ids',
  'my_administered_workspace_ids',
  'my_team_workspace_ids',
  'my_led_workspace_ids',
  'my_only_workspace_id',
  'my_member_ids',
  'my_team_ids',
  'my_led_team_ids',
  'my_area_team_ids',
  'my_areas',
  'is_team_member',
  'is_team_lead',
  'is_project_team_member',
  'is_project_team_lead',
  'is_operator',
  'user_id',
  'daily_mail',
] as const

interface FunctionCase {
  readonly calls: readonly string[]
  /** Whether each call is refused; else its answer has nothing of the other workspace. */
  readonly isRefused?: true
}
const refused = (...calls: readonly string[]): FunctionCase => ({ calls, isRefused: true })
const silent = (...calls: readonly string[]): FunctionCase => ({ calls })

const FUNCTIONS: Readonly<Record<string, FunctionCase>> = {
  ...Object.fromEntries(READS_ANSWER.map((name) => [`${name}()`, silent(`${name}()`)])),
  'has_role(holdfast.workspace_role)': silent(`has_role('owner')`),
  'role_in(uuid)': silent(`role_in('${WATER}')`),
  'is_lead_of(uuid)': silent(`is_lead_of('${TEAM}')`),
  'has_file(text,boolean)': silent(`has_file('w/pits_files/photo.jpg', false)`),
  'shared_record_ids(text)': silent(`shared_record_ids('pits')`),
  'shared_record_ids(text,uuid)': silent(`shared_record_ids('pits', '${WATER}')`),
  'changeable_record_ids(text)': silent(`changeable_record_ids('pits')`),
  'changeable_record_ids(text,uuid)': silent(`changeable_record_ids('pits', '${WATER}')`),
  'member_details(uuid)': refused(`member_details('${WATER}')`),
  'invite(uuid,text[],holdfast.workspace_role,uuid,text,timestamp with time zone)': refused(
    `invite('${WATER}', '{me@example.org}', 'guest')`,
    `invite('${GAS}', '{me@example.org}', 'editor', '${TEAM}')`,
  ),
  'resend_invitation(uuid)': refused(`resend_invitation('${INVITATION}')`),
  'revoke_invitation(uuid)': refused(`revoke_invitation('${INVITATION}')`),
  // Whoever has the link reads what it is for; it is mailed to one address, and answered with that one only.
  'peek_invitation(text)': silent(`peek_invitation('${'y'.repeat(43)}')`),
  'answer_invitation(text,boolean)': silent(
    `answer_invitation('${SECRET}', true)`,
    `answer_invitation('${SECRET}', false)`,
  ),
  'set_member_role(uuid,holdfast.workspace_role,timestamp with time zone)': refused(
    `set_member_role('${MEMBER}', 'guest')`,
  ),
  'set_member_active(uuid,boolean)': refused(`set_member_active('${MEMBER}', false)`),
  'remove_member(uuid)': refused(`remove_member('${MEMBER}')`),
  ...templateCases(WATER, TEMPLATE_LOAD),
  ...accessCases(WATER, GAS),
  ...sharingCases({ other: WATER, own: GAS, team: TEAM, view: VIEW, link: LINK, form: FORM }),
  ...changeCases(WATER, GAS),
  ...automationCases(WATER, GAS),
  'add_push_device(text,text,text)': silent(
    `add_push_device('https://push.example/1', '${'A'.repeat(87)}', '${'A'.repeat(22)}')`,
  ),
  'remove_push_device(text)': silent(`remove_push_device('https://push.example/olga')`),
  // A key of the caller's own, whichever lock is named.
  'lock_key(uuid)': silent(`lock_key('${FIELD}')`),
  'set_daily_mail(boolean,text)': silent(`set_daily_mail(false)`),
  // Of the schema, which is the project's.
  'key_of_records(regclass)': silent(`key_of_records('public.pits')`),
  'table_of_records(text)': silent(`table_of_records('sites')`),
  'field_words(regclass,text)': silent(`field_words('public.pits', 'due_on')`),
  'transition_to(regclass,text,text,text)': silent(`transition_to('public.pits', 'title', null, 'new')`),
  'transition_words(regclass,text,text)': silent(`transition_words('public.pits', 'title', 'new')`),
  // Of what is given to them.
  'name_of_account(jsonb,text)': silent(`name_of_account('{}', 'me@example.org')`),
  'value_words(text)': silent(`value_words('to_verify')`),
}

/** What no answer has in it. */
const WORDS = [
  WATER,
  OLGA,
  GUS,
  NINA,
  TEAM,
  PIT,
  SHARE,
  VIEW,
  LOCKED,
  PERSONAL,
  FIELD,
  COMMENT,
  MEMBER,
  INVITATION,
  TABLE,
].concat(['Water works', 'North', 'Deep', 'Olga', '"N"'])

test('every table and every function of schema holdfast that people may use has a case', async () => {
  const tables = await database.pool.query<{ name: string }>(sql`
    select c.relname as name from pg_catalog.pg_class c
     where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
       and (has_any_column_privilege('authenticated', c.oid, 'select, insert, update') or has_table_privilege('authenticated', c.oid, 'delete, truncate'))`)
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(TABLES).sort())
  const functions = await database.pool.query<{ name: string }>(sql`
    select replace(p.oid::regprocedure::text, 'holdfast.' || p.proname, p.proname) as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
       -- These compute with what is given to them.
       and (p.proname !~ '^formula_' or p.provolatile = 'v')
       and has_function_privilege('authenticated', p.oid, 'execute')`)
  expect(functions.map(({ name }) => name).sort()).toEqual(Object.keys(FUNCTIONS).sort())
  const policies = await database.pool.query<{ name: string }>(sql`
    select distinct c.relname as name from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
     where c.relnamespace = 'holdfast'::regnamespace`)
  expect(policies.map(({ name }) => name).filter((name) => !(name in TABLES))).toEqual([])
})

test('whoever is of the workspace reads each of these rows', async () => {
  await runAs(database.requestPool, sessionOf(OLGA), async (tx) => {
    for (const [name, { row }] of Object.entries(TABLES)) {
      const rows = await tx.query(sql`select from holdfast.${sql.identifier(name)} where id::text = ${row()}`)
      expect(rows.length, name).toBe(1)
    }
  })
})

describe.each(OTHERS)('of another workspace %s', (_, person) => {
  test('reads, adds, changes and deletes nothing', async () => {
    const found: string[] = []
    await runAs(database.requestPool, sessionOf(person), async (tx) => {
      for (const [name, { row, column, attempts = [], isOfProject = false }] of Object.entries(TABLES)) {
        const [table, at] = [sql.identifier('holdfast', name), sql`where id::text = ${row()}`]
        const read = await tx.query(sql`select id from ${table} ${at}`)
        if (read.length > 0 !== isOfProject) found.push(`${name}: reads ${read.length}`)
        const statements = [
          ...(column === undefined
            ? []
            : [sql`update ${table} set ${sql.identifier(column)} = ${sql.identifier(column)} ${at} returning id`]),
          sql`delete from ${table} ${at} returning id`,
          ...attempts,
        ]
        for (const statement of statements) {
          const { refused: reason, rows } = await attempt(tx, statement)
          if (reason === undefined && rows.length > 0) found.push(`${name}: ${statement.render().text}`)
        }
      }
    })
    expect(found).toEqual([])
  })

  test('learns and brings about nothing by a function', async () => {
    const found: string[] = []
    await runAs(database.requestPool, sessionOf(person), async (tx) => {
      for (const [name, { calls, isRefused = false }] of Object.entries(FUNCTIONS)) {
        for (const call of calls) {
          const { refused: reason, rows } = await attempt(tx, sql.trusted(`select * from holdfast.${call} answer`))
          if (isRefused && reason === undefined) found.push(`${name}: ${call} is not refused`)
          if (!isRefused && reason !== undefined) found.push(`${name}: ${call}: ${reason}`)
          const answer = `${JSON.stringify(rows)} ${isRefused ? (reason ?? '') : ''}`
          found.push(...WORDS.filter((word) => answer.includes(word)).map((word) => `${call} says ${word}`))
        }
      }
    })
    expect(found).toEqual([])
  })
})
