import type { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { Clock, Logger } from '@holdfast/foundation'
import { sql, type Pool, type Transaction } from '@holdfast/postgres'
import { SAMPLE_PASSWORD } from './accounts.ts'
import { generateSample, type SampleData } from './generate.ts'
import { insertRows } from './insert.ts'
import { withFiles } from './photo-files.ts'
import { drawPictures } from './pictures/pictures.ts'
import { createId } from './random.ts'
import type { UserRow } from './rows.ts'
import { SIZES } from './sizes.ts'

/** Default seed. */
export const SAMPLE_SEED = 20_260

/** Advisory lock that serializes servers seeding the same database. */
const SEED_LOCK = 4_711_003

const SCHEMA_FILES = ['0001_schema.sql', '0002_lifecycles.sql', '0003_policies.sql'] as const

/** Photos with files: only where there is storage. */
const FILES_SCHEMA = '0004_photos.sql'

/** Who may use which channel: only where there is realtime. */
const CHANNELS_SCHEMA = '0005_channels.sql'

/** What calls edge functions: only where these, storage and what calls them are. */
const FUNCTIONS_SCHEMA = '0006_functions.sql'

/** Which tables have a history. */
const HISTORY_SCHEMA = '0007_history.sql'

/** Which tables are filled in question by question. */
const CHECKLISTS_SCHEMA = '0008_checklists.sql'

/** German names of tables, fields and choices. */
const GERMAN_WORDS = '0009_german.sql'

export interface SeedSampleOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  readonly logger: Logger
  readonly clock: Clock
  /** Hashes a password like the auth service. Called once. */
  readonly hashPassword: (password: string) => Promise<string>
  /** Whether photos have files, which require the storage tables, and {@link storePictures} once the server runs. Default: rows only. */
  readonly hasFiles?: boolean
  /** Whether to create policies for private channels, which require the realtime tables. Default: none. */
  readonly hasChannels?: boolean
  /** Whether the database calls edge functions: a webhook and a job. They need the schemas of both, and files. Default: none. */
  readonly hasFunctions?: boolean
  /** Other seeds create different samples of the same size. */
  readonly seed?: number
}

export interface SeededSample {
  /** Whether this call created the sample. */
  readonly seeded: boolean
  /** What {@link storePictures} is to store, drawn while Postgres wrote the rows; empty without files. */
  readonly pictures: readonly Buffer[]
}

/**
 * Makes Northline Water: its tables, policies, accounts and rows, all in one transaction. Does nothing on a database that has it already.
 *
 * The accounts have a public password: the caller must have made sure that the server is bound to loopback.
 *
 * @throws when a table of the same name is already there; nothing has changed then
 */
export async function seedSample(options: SeedSampleOptions): Promise<SeededSample> {
  const { pool, logger, clock, hashPassword, hasFiles = false, hasChannels = false, seed = SAMPLE_SEED } = options
  const hasFunctions = hasFiles && (options.hasFunctions ?? false)
  if (await isSeeded(pool)) return { seeded: false, pictures: [] }

  const began = performance.now()
  const data = generateSample(seed, clock)
  const passwordHash = await hashPassword(SAMPLE_PASSWORD)
  const drawing = hasFiles ? drawPictures(seed) : Promise.resolve([])
  const writing = pool.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${SEED_LOCK})`)
    if (await isSeeded(tx)) return false
    const files = [
      ...SCHEMA_FILES,
      ...(hasFiles ? [FILES_SCHEMA] : []),
      ...(hasChannels ? [CHANNELS_SCHEMA] : []),
      ...(hasFunctions ? [FUNCTIONS_SCHEMA] : []),
      HISTORY_SCHEMA,
      CHECKLISTS_SCHEMA,
      GERMAN_WORDS,
    ]
    for (const file of files) {
      await tx.client.query(await readFile(new URL(`../sql/${file}`, import.meta.url), 'utf8'))
    }
    await writeRows(tx, { seed, data: hasFiles ? withFiles(data) : data, passwordHash })
    await tx.execute(sql`
      insert into holdfast.settings (key, value)
      values ('sample', ${JSON.stringify({ seed, seeded_at: new Date(clock.now()).toISOString() })}::jsonb)
    `)
    return true
  })
  const [seeded, pictures] = await Promise.all([writing, drawing])
  if (seeded) logger.log('info', 'sample seeded', { durationMs: Math.round(performance.now() - began) })
  return { seeded, pictures }
}

async function isSeeded(db: Pick<Pool, 'query'>): Promise<boolean> {
  const rows = await db.query(sql`select 1 from holdfast.settings where key = 'sample'`)
  return rows.length > 0
}

async function writeRows(
  tx: Transaction,
  { seed, data, passwordHash }: { readonly seed: number; readonly data: SampleData; readonly passwordHash: string },
): Promise<void> {
  // The rows are in the middle of their lives: no triggers that begin them, and no look-up per foreign key (a test looks them all up).
  await tx.query(sql`select set_config('session_replication_role', 'replica', true)`)
  await writeUsers(tx, { seed, users: data.users, passwordHash })
  for (const { schema, table, rows } of data.tables) await insertRows(tx, schema, table, rows)
  // Nobody has these addresses, so no mail goes there by itself. Who signs in turns the daily mail on.
  await tx.execute(sql`
    insert into holdfast.mail_settings (user_id, daily_mail)
    select m.user_id, false from holdfast.members m on conflict do nothing
  `)
  await tx.query(sql`select set_config('session_replication_role', 'origin', true)`)
  await tx.query(sql`
    select setval('sample.inspection_numbers', ${SIZES.inspections}),
           setval('sample.finding_numbers', ${SIZES.findings}),
           setval('sample.action_numbers', ${SIZES.actions})
  `)
  await tx.query(sql`
    analyze holdfast.workspaces, holdfast.members, holdfast.teams, holdfast.team_members, holdfast.comments, public.regions, public.contractors, public.people, public.sites,
      public.assets, public.inspections, public.answers, public.findings, public.photos, public.actions
  `)
}

/** Accounts as a confirmed sign-up by e-mail leaves them. */
async function writeUsers(
  tx: Transaction,
  {
    seed,
    users,
    passwordHash,
  }: { readonly seed: number; readonly users: readonly UserRow[]; readonly passwordHash: string },
): Promise<void> {
  await insertRows(
    tx,
    'auth',
    'users',
    users.map(({ id, name, email, created_at, updated_at }) => ({
      instance_id: '00000000-0000-0000-0000-000000000000',
      id,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      encrypted_password: passwordHash,
      email_confirmed_at: created_at,
      confirmation_token: '',
      recovery_token: '',
      email_change_token_new: '',
      email_change: '',
      raw_app_meta_data: { provider: 'email', providers: ['email'] },
      raw_user_meta_data: { name, email_verified: true },
      created_at,
      updated_at,
    })),
  )
  await insertRows(
    tx,
    'auth',
    'identities',
    users.map(({ id, email, created_at, updated_at }, index) => ({
      provider_id: id,
      user_id: id,
      identity_data: { sub: id, email, email_verified: true, phone_verified: false },
      provider: 'email',
      created_at,
      updated_at,
      id: createId(seed, 'identities', index),
    })),
  )
}
