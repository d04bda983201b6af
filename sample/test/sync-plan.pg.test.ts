/**
 * Every table of the sample reaches devices, and the buckets of a person hold exactly the rows that Postgres shows to that person. The
 * buckets are put together here with plain SQL from the plan, without the sync service.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import {
  compileSyncPlan,
  readPolicyInput,
  type BucketDefinition,
  type SyncPlan,
  type TablePlan,
} from '@holdfast/policy'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { seedSample } from '../src/seed.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }

let database: TestDatabase
let plan: SyncPlan

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  const { pool } = database
  const clock = { now: () => Date.UTC(2031, 4, 17, 12) }
  await seedSample({ pool, logger: silentLogger, clock, hashPassword: async () => 'no hash' })
  plan = compileSyncPlan(await readPolicyInput(database.compilerPool))
  await pool.execute(sql`grant usage on schema sync to authenticated`)
  for (const statement of plan.keyFunctions.flatMap((one) => one.statements)) await pool.execute(sql.trusted(statement))
})

afterAll(() => database[Symbol.asyncDispose]())

/** As many as the public clients' service allows; above it a checkpoint gets large. */
const BUCKETS_PER_PERSON_MAX = 1_000

const SYNCED = [
  'actions',
  'answers',
  'assets',
  'contractors',
  'findings',
  'hf_automation_runs',
  'hf_automations',
  'hf_checklists',
  'hf_comments',
  'hf_computed_fields',
  'hf_dashboards',
  'hf_favourites',
  'hf_fields',
  'hf_history',
  'hf_invitations',
  'hf_invite_links',
  'hf_members',
  'hf_notices',
  'hf_public_forms',
  'hf_read_marks',
  'hf_shares',
  'hf_table_rules',
  'hf_tables',
  'hf_team_members',
  'hf_teams',
  'hf_template_loads',
  'hf_transitions',
  'hf_view_links',
  'hf_views',
  'hf_workspaces',
  'inspections',
  'people',
  'photos',
  'regions',
  'sites',
  'template_items',
  'templates',
]

async function sessionOf(name: string): Promise<Session> {
  const [person] = await database.pool.query<{ user_id: string }>(
    sql`select user_id from public.people where name = ${name}`,
  )
  return { role: 'authenticated', claims: { role: 'authenticated', sub: person?.user_id } }
}

/** The caller's keys, each as the list of its parts. */
async function keysOf(session: Session, definition: BucketDefinition): Promise<readonly (readonly string[])[]> {
  const rows = await runAs(database.requestPool, session, (tx) =>
    tx.query<Record<string, string>>(sql.trusted(definition.keyQuery)),
  )
  return rows.map((row) => definition.keys.map((_, index) => row[`k${index}`] ?? ''))
}

async function bucketRows(table: TablePlan, definition: BucketDefinition, session: Session): Promise<string[]> {
  const keys = await keysOf(session, definition)
  if (keys.length === 0) return []
  const parts = definition.keys.map((key) => sql.trusted(`(${key.sql})::text`))
  const rows = await database.pool.query<{ id: string }>(sql`
    select r.id from ${sql.identifier(table.schema, table.name)} r
     where ${sql.trusted(definition.rowFilter?.sql ?? 'true')}
       and jsonb_build_array(${sql.join(parts)}) in (select jsonb_array_elements(${JSON.stringify(keys)}::jsonb))
  `)
  return rows.map(({ id }) => id)
}

test('has every table of the sample and refuses only tables that are not read', () => {
  expect(plan.tables.map(({ localName }) => localName).sort()).toEqual(SYNCED)
  expect(plan.refused.map(({ schema, name }) => `${schema}.${name}`)).toEqual([
    'holdfast.automation_calls',
    'holdfast.automation_clocks',
    'holdfast.automation_dues',
    'holdfast.automation_events',
    'holdfast.automation_rates',
    'holdfast.automation_secrets',
    'holdfast.automation_settings',
    'holdfast.automation_usage',
    'holdfast.daily_mails',
    'holdfast.event_triggers',
    'holdfast.form_file_parts',
    'holdfast.form_files',
    'holdfast.form_submissions',
    'holdfast.invitation_guesses',
    'holdfast.invitation_mails',
    'holdfast.invitation_secrets',
    'holdfast.invite_link_secrets',
    'holdfast.lock_secret',
    'holdfast.login_passwords',
    'holdfast.mail_settings',
    'holdfast.migrations',
    'holdfast.push_devices',
    'holdfast.push_events',
    'holdfast.settings',
    'holdfast.template_records',
  ])
})

test('groups rows by a value of their own, never by an array', () => {
  const keys = plan.tables.flatMap(({ definitions }) => definitions.flatMap((definition) => definition.keys))
  expect(keys.filter(({ kind, column }) => kind !== 'value' || column === undefined)).toEqual([])
})

describe.each(['Dana Okafor', 'Mina Kaya', 'Sam Reyes', 'Ruth Adler', 'Arjun Mehta', 'Alan Penfold'])(
  'the buckets of %s',
  (name) => {
    test.each(SYNCED)('hold exactly the visible rows of %s', async (localName) => {
      const session = await sessionOf(name)
      const table = plan.tables.find((one) => one.localName === localName)
      if (!table) throw new Error(`${localName} is not in the plan`)
      const held = new Set<string>()
      for (const definition of table.definitions)
        for (const id of await bucketRows(table, definition, session)) held.add(id)
      const visible = await runAs(database.requestPool, session, (tx) =>
        tx.query<{ id: string }>(sql`select id from ${sql.identifier(table.schema, table.name)}`),
      )
      expect([...held].sort()).toEqual(visible.map(({ id }) => id).sort())
    })

    test('are few', async () => {
      const session = await sessionOf(name)
      let buckets = 0
      for (const { definitions } of plan.tables) {
        for (const definition of definitions) buckets += (await keysOf(session, definition)).length
      }
      expect(buckets).toBeLessThan(BUCKETS_PER_PERSON_MAX)
    })
  },
)
