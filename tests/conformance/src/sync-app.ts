import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  column,
  Schema,
  Table,
  type CommonPowerSyncDatabase,
  type CrudEntry,
  type PowerSyncBackendConnector,
  type SyncOptions,
  type SyncStatus,
} from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import type { SupabaseClient } from '@supabase/supabase-js'
import { expect, vi } from 'vitest'
import { openHoldfast, quietLogger, type Holdfast, type HoldfastOptions } from '@holdfast/test-support'

/** Whose notes are whose. */
export const ANN = { email: 'ann@example.org', password: 'a password of Ann' }
export const BEN = { email: 'ben@example.org', password: 'a password of Ben' }

const NOTES = `
  create table public.notes (
    id uuid primary key default gen_random_uuid(),
    owner_id uuid not null default auth.uid(),
    title text not null default '',
    done boolean not null default false,
    n int check (n >= 0)
  );
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (owner_id = auth.uid()) with check (owner_id = auth.uid());
`

/** A server with Ann, Ben and a table of notes of which everybody has their own. */
export async function openNotesServer(sql = '', options: HoldfastOptions = {}): Promise<Holdfast> {
  const holdfast = await openHoldfast(options)
  await run(holdfast, NOTES + sql)
  for (const account of [ANN, BEN]) {
    const { error } = await (await holdfast.supabase()).auth.signUp(account)
    if (error) throw error
  }
  return holdfast
}

/** As `postgres`: what another person does, or a migration. */
export async function run(holdfast: Holdfast, text: string): Promise<void> {
  await holdfast.admin.withClient((client) => client.query(text))
}

/** `insert into public.notes` for an account. */
export async function addNotes(
  holdfast: Holdfast,
  of: { readonly email: string },
  titles: readonly string[],
): Promise<void> {
  await holdfast.admin.withClient((client) =>
    client.query(
      `insert into public.notes (owner_id, title) select u.id, t from auth.users u, unnest($2::text[]) t where u.email = $1`,
      [of.email, titles],
    ),
  )
}

export const notesTable = { owner_id: column.text, title: column.text, done: column.integer, n: column.integer }
export const notesSchema = (): Schema => new Schema({ notes: new Table(notesTable) })

/** The unmodified SDK with a connector of the test's own. Nothing is connected yet. */
export interface App extends AsyncDisposable {
  readonly database: CommonPowerSyncDatabase
  readonly supabase: SupabaseClient
  /** Every status there was, oldest first. */
  readonly statuses: readonly SyncStatus[]
  connect(options?: SyncOptions & Partial<PowerSyncBackendConnector>): Promise<void>
  /** Titles of the notes that are here, in order. */
  titles(): Promise<readonly string[]>
  /** Waits until these are the titles. */
  shows(titles: readonly string[]): Promise<void>
  token(): Promise<string>
}

export interface AppOptions {
  readonly account?: { readonly email: string; readonly password: string }
  readonly schema?: Schema
  /** Another SDK, on the database that the Node SDK opened. */
  readonly through?: (device: PowerSyncDatabase) => Promise<CommonPowerSyncDatabase>
}

export async function openApp(holdfast: Holdfast, options: AppOptions = {}): Promise<App> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-app-'))
  const supabase = await holdfast.supabase(options.account ?? ANN)
  const device = new PowerSyncDatabase({
    schema: options.schema ?? notesSchema(),
    database: {
      dbFilename: `${basename(folder)}.db`,
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
    logger: quietLogger,
  })
  const database: CommonPowerSyncDatabase = (await options.through?.(device)) ?? device
  const statuses: SyncStatus[] = []
  database.registerListener({ statusChanged: (status) => statuses.push(status) })
  const titles = async (): Promise<readonly string[]> =>
    (await database.getAll<{ title: string }>('select title from notes order by title')).map(({ title }) => title)
  const token = async (): Promise<string> => (await supabase.auth.getSession()).data.session?.access_token ?? ''
  return {
    database,
    supabase,
    statuses,
    titles,
    token,
    shows: (wanted) =>
      vi.waitFor(async () => expect(await titles()).toEqual(wanted), { timeout: 60_000, interval: 20 }),
    async connect({ fetchCredentials, uploadData, ...rest } = {}) {
      await database.connect(
        {
          fetchCredentials: fetchCredentials ?? (async () => ({ endpoint: holdfast.url, token: await token() })),
          uploadData: uploadData ?? ((of) => uploadTransactions(holdfast, of, token)),
        },
        { retryDelayMs: 200, crudUploadThrottleMs: 10, ...rest },
      )
    },
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** How a local change is written in an upload. */
export function toOperation(entry: CrudEntry): Readonly<Record<string, unknown>> {
  return {
    op_id: entry.clientId,
    op: entry.op,
    type: entry.table,
    id: entry.id,
    ...(entry.opData ? { data: entry.opData } : {}),
    ...(entry.previousValues ? { old: entry.previousValues } : {}),
    ...(entry.metadata === undefined ? {} : { metadata: entry.metadata }),
  }
}

/** What the server answers to an upload. */
export interface UploadAnswer {
  readonly status: 'applied' | 'refused'
  readonly repeated: boolean
  readonly verdicts: readonly { readonly op_id: number; readonly status: string; readonly sqlstate?: string }[]
}

/** One local transaction to `POST /sync/v1/upload`, as docs/guides/sync-a-device.md has it. */
export async function uploadOperations(
  holdfast: Holdfast,
  database: CommonPowerSyncDatabase,
  token: string,
  crud: readonly CrudEntry[],
): Promise<UploadAnswer> {
  const response = await fetch(`${holdfast.url}/sync/v1/upload`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      client_id: await database.getClientId(),
      position: crud.at(-1)?.clientId,
      operations: crud.map(toOperation),
    }),
  })
  if (!response.ok) throw new Error(`not judged: ${response.status} ${await response.text()}`)
  return (await response.json()) as UploadAnswer
}

async function uploadTransactions(
  holdfast: Holdfast,
  database: CommonPowerSyncDatabase,
  token: () => Promise<string>,
): Promise<void> {
  const transaction = await database.getNextCrudTransaction()
  if (!transaction) return
  await uploadOperations(holdfast, database, await token(), transaction.crud)
  await transaction.complete()
}

/** A token of a person that ends soon, signed with the project's secret. */
export function shortToken(holdfast: Holdfast, claims: Readonly<Record<string, unknown>>): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role: 'authenticated', ...claims })}`
  return `${signed}.${createHmac('sha256', holdfast.jwtSecret).update(signed).digest('base64url')}`
}

/** A signal that ends a wait that is too long. */
export const soon = (): AbortSignal => AbortSignal.timeout(60_000)
