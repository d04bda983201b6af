import { authMigrations } from '@holdfast/auth'
import {
  compileSyncPlan,
  compileWriteRules,
  FACT_VALUES_MAX,
  installKeyFunctions,
  readPolicyInput,
  readWriteInput,
  type SyncPlan,
  type TablePlan,
} from '@holdfast/policy'
import type { WriteRules } from '@holdfast/protocol'
import { createPool, runAs, sql, type Pool, type Session, type SqlFragment } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// A workspace with a user of every role and a table "jobs" that an admin made in the app.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`

export const USERS = {
  olga: { id: id(1), role: 'owner' },
  adam: { id: id(2), role: 'admin' },
  edda: { id: id(3), role: 'editor' },
  emil: { id: id(4), role: 'editor' },
  cora: { id: id(5), role: 'commenter' },
  vera: { id: id(6), role: 'viewer' },
  gus: { id: id(7), role: 'guest' },
  mole: { id: id(8), role: undefined },
} as const
export type UserName = keyof typeof USERS
export const USER_NAMES = Object.keys(USERS) as readonly UserName[]

export const JOB_FIELDS = [
  { name: 'title', label: 'Title', kind: 'text' },
  { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'blocked', 'done'] },
  { name: 'reason', label: 'Reason', kind: 'text' },
  { name: 'n', label: 'Number', kind: 'integer' },
  { name: 'is_urgent', label: 'Urgent', kind: 'boolean' },
  { name: 'day', label: 'Day', kind: 'date' },
  { name: 'price', label: 'Price', kind: 'number' },
  { name: 'seen_at', label: 'Seen', kind: 'datetime' },
  { name: 'team_id', label: 'Team', kind: 'link', table: 'hf_teams' },
  { name: 'assignee_id', label: 'Assigned to', kind: 'link', table: 'hf_members' },
] as const

export interface AccessWorld extends AsyncDisposable {
  readonly database: TestDatabase
  /** Connected as the project. */
  readonly projectPool: Pool
  readonly workspace: string
  /** The team of Edda and Vera, and one that nobody is in. */
  readonly teams: readonly [string, string]
  /** Membership ids. */
  readonly members: Readonly<Record<string, string>>
  as<Row extends object>(user: UserName, query: SqlFragment): Promise<readonly Row[]>
  /** Whether Postgres lets the user write a row. The write is undone. */
  isDone(user: UserName, write: SqlFragment): Promise<boolean>
  plan(): Promise<SyncPlan>
  /** Ids of rows in the buckets that the user has. */
  held(user: UserName, table: TablePlan): Promise<readonly string[]>
  rulesFor(user: UserName): Promise<WriteRules>
}

export const sessionOf = (user: UserName): Session => ({
  role: 'authenticated',
  claims: { role: 'authenticated', sub: USERS[user].id },
})

export async function openAccessWorld(): Promise<AccessWorld> {
  const database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool, requestPool, compilerPool } = database
  const projectPool = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 1 })
  const world = { ...(await populate(database)), database, projectPool }
  const as: AccessWorld['as'] = (user, query) => runAs(requestPool, sessionOf(user), (tx) => tx.query(query))
  const definition = JSON.stringify({
    name: 'jobs',
    label: 'Jobs',
    fields: JOB_FIELDS,
    access: { kind: 'members' },
  })
  await as('adam', sql`select holdfast.create_table(${world.workspace}, ${definition}::jsonb)`)
  const photos = JSON.stringify({
    kind: 'add_field',
    field: { name: 'photos', label: 'Photos', kind: 'attachment' },
  })
  await as('adam', sql`select holdfast.change_table(${world.workspace}, 'jobs', ${photos}::jsonb)`)
  return {
    ...world,
    as,
    async isDone(user, write) {
      const undone = new Error('undone')
      let hasWritten = false
      await runAs(requestPool, sessionOf(user), async (tx) => {
        hasWritten = (await tx.query(write)).length > 0
        throw undone
      }).catch((error: unknown) => {
        if (error === undone) return
        if ((error as { code?: string }).code !== '42501') throw error
        hasWritten = false
      })
      return hasWritten
    },
    async plan() {
      const plan = compileSyncPlan(await readPolicyInput(compilerPool, { schemas: ['public'] }))
      return installKeyFunctions({ pool, compilerPool }, plan)
    },
    async held(user, table) {
      const held = new Set<string>()
      for (const definition of table.definitions) {
        const keys = await runAs(requestPool, sessionOf(user), (tx) =>
          tx.query<Record<string, string>>(sql.trusted(definition.keyQuery)),
        )
        const parts = definition.keys.map((key, index) => `(k.k ->> 'k${index}') = (${key.sql})::text`)
        const condition = [definition.rowFilter?.sql ?? 'true', ...parts].join(' and ')
        const rows = await pool.query<{ id: string }>(sql`
          select distinct r.id from ${sql.identifier('public', table.localName)} r, jsonb_array_elements(${JSON.stringify(keys)}::jsonb) k(k)
           where ${sql.trusted(condition)}`)
        for (const row of rows) held.add(row.id)
      }
      return [...held].toSorted()
    },
    rulesFor: (user) => rulesFor(database, sessionOf(user)),
    async [Symbol.asyncDispose]() {
      await projectPool[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function populate({ pool }: TestDatabase): Promise<Pick<AccessWorld, 'workspace' | 'teams' | 'members'>> {
  for (const [name, { id: user }] of Object.entries(USERS))
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${name}@example.org`})`)
  const [made] = await pool.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', 'olga@example.org') as id`,
  )
  const workspace = made?.id ?? ''
  for (const [name, { id: user, role }] of Object.entries(USERS)) {
    if (role === undefined || role === 'owner') continue
    await pool.execute(sql`
      insert into holdfast.members (workspace_id, user_id, role, name)
      values (${workspace}, ${user}, ${role}::holdfast.workspace_role, ${name})`)
  }
  await pool.execute(sql`select holdfast.create_workspace('Gas', 'mole@example.org')`)
  const teams = await pool.query<{ id: string }>(
    sql`insert into holdfast.teams (workspace_id, name) values (${workspace}, 'North'), (${workspace}, 'South') returning id`,
  )
  const [north, south] = teams.map((team) => team.id)
  for (const user of [USERS.edda.id, USERS.vera.id])
    await pool.execute(sql`insert into holdfast.team_members (team_id, user_id) values (${north}, ${user})`)
  const members = await pool.query<{ id: string; user: string }>(
    sql`select id, user_id as user from holdfast.members where workspace_id = ${workspace}`,
  )
  const nameOf = (user: string): string => USER_NAMES.find((name) => USERS[name].id === user) ?? ''
  return {
    workspace,
    teams: [north ?? '', south ?? ''],
    members: Object.fromEntries(members.map(({ id: member, user }) => [nameOf(user), member])),
  }
}

/** As the server returns them to the user's device. */
async function rulesFor({ compilerPool, requestPool }: TestDatabase, session: Session): Promise<WriteRules> {
  const input = await readWriteInput(compilerPool, { schemas: ['public', 'holdfast'] })
  const synced = new Set(compileSyncPlan(input.policies).tables.map(({ oid }) => oid))
  const { tables, facts } = await compileWriteRules(input, session.role, synced)
  const found: Record<string, WriteRules['facts'][string]> = {}
  for (const fact of facts) {
    const value = await runAs(requestPool, session, async (tx) => {
      const [row] = await tx.query<{ value: string | null | string[] }>(sql`select ${sql.trusted(fact.sql)} as value`)
      return row?.value ?? null
    }).catch(() => undefined)
    if (value === undefined || (Array.isArray(value) && value.length > FACT_VALUES_MAX)) continue
    found[fact.name] = { value, reads: [] }
  }
  return { version: '', tables, facts: found }
}
