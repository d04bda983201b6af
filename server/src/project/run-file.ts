import { readFileSync } from 'node:fs'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { copyIn, queryable, type SqlFragment } from '@holdfast/postgres'
import type { Client } from './history.ts'

/** Postgres's default, which hosted Supabase's roles and databases override. */
const PLAIN_SEARCH_PATH = '"$user", public'

/** Search path that hosted projects' migrations expect. */
const PROJECT_SEARCH_PATH = '"$user", public, extensions'

/**
 * @returns the text without byte order mark, which is not valid SQL
 * @throws {HoldfastError} `file_unreadable`, including for text that is not UTF-8, which would silently lose characters
 */
export function readSqlFile(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const isEncoded = (error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    const why = isEncoded ? errorMessage(error) : 'it is not UTF-8.'
    throw new HoldfastError('file_unreadable', 500, `${path} cannot be read: ${why}`, {
      cause: error,
      ...(isEncoded ? {} : { hint: 'Save it as UTF-8. Older PowerShell writes UTF-16 with ">".' }),
    })
  }
}

/** A part of a file that is sent as a unit. */
export interface FilePart {
  /** Original text; all parts together are the file. */
  readonly text: string
  /** SQL to run. */
  readonly sql: string
  /** A statement that cannot run in a transaction: everything before it is committed first. */
  readonly isAlone?: boolean
  /** Rows of a `COPY … FROM stdin`. */
  readonly rows?: string
}

/**
 * Runs a file and its history record in one transaction. If the file itself commits, the rest runs separately.
 *
 * @throws {HoldfastError} `project_sql_failed` with file, line and Postgres's message, and whether parts of the file were committed
 */
export async function runFile(
  client: Client,
  { path, parts, record }: { readonly path: string; readonly parts: readonly FilePart[]; readonly record: SqlFragment },
): Promise<void> {
  await client.query('reset role; reset all')
  const { rows } = await client.query<{ search_path: string }>('show search_path')
  if (rows[0]?.search_path === PLAIN_SEARCH_PATH) await client.query(`set search_path = ${PROJECT_SEARCH_PATH}`)
  await client.query('begin')
  const first = await client.query<{ id: string }>('select pg_catalog.pg_current_xact_id()::text as id')
  let [before, current] = ['', '']
  try {
    for (const { text, sql, isAlone = false, rows: copied } of parts) {
      current = sql
      if (isAlone) await client.query('commit')
      if (copied === undefined) await client.query(sql)
      else await copyIn(client, sql, [Buffer.from(copied)])
      if (isAlone) await client.query('begin')
      before += text
    }
    await client.query('reset role')
    await queryable(client).query(record)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined) // a lost connection has no transaction
    const text = parts.map((part) => part.text).join('')
    throw failed({ path, before, current, text, isPartial: await isCommitted(client, first.rows[0]?.id) }, error)
  } finally {
    await client.query('reset role; reset all').catch(() => undefined)
  }
}

async function isCommitted(client: Client, transaction: string | undefined): Promise<boolean> {
  try {
    const { rows } = await client.query<{ status: string | null }>(
      'select pg_catalog.pg_xact_status($1::xid8) as status',
      [transaction],
    )
    return rows[0]?.status === 'committed'
  } catch {
    return false // the connection is gone, and with it mostly what the file did
  }
}

interface FailedFile {
  readonly path: string
  readonly text: string
  /** Text before the failed part; Postgres counts positions from the part's start. */
  readonly before: string
  readonly current: string
  /** Whether part of the file was committed. */
  readonly isPartial: boolean
}

function failed({ path, text, before, current, isPartial }: FailedFile, error: unknown): HoldfastError {
  const { position, detail, hint, where } = error as Partial<Record<'position' | 'detail' | 'hint' | 'where', string>>
  // Postgres counts characters, JavaScript counts UTF-16 code units.
  const characters = Array.from(text.slice(before.length))
  const upTo = before + characters.slice(0, Number(position)).join('')
  const copied = /^COPY .*, line (\d+)/.exec(where ?? '')?.[1]
  const line =
    copied !== undefined
      ? `, line ${`${before}${current}`.split('\n').length + Number(copied)}` // rows start on the line after the statement
      : Number(position) > 0
        ? `, line ${upTo.split('\n').length}`
        : ''
  const details = [detail, ...(isPartial ? [PARTIAL] : [])].filter((one) => one !== undefined)
  return new HoldfastError('project_sql_failed', 500, `${path}${line}: ${errorMessage(error)}`, {
    cause: error,
    ...(details.length === 0 ? {} : { detail: details.join('\n') }),
    hint:
      missingExtension(error) ??
      closedSchema(error) ??
      eventTrigger(error) ??
      hint ??
      `${isPartial ? '' : 'Nothing of this file was applied. '}Change it, or start with --no-project-migrations.`,
  })
}

const PARTIAL =
  'What stands before a COMMIT or a statement that runs alone is applied already, so the file has to bear being applied again.'

/** Returns a hint about a closed schema, in which older hosted projects could still create functions. */
function closedSchema(error: unknown): string | undefined {
  const name = /^permission denied for schema (auth|realtime|storage)$/.exec(errorMessage(error))?.[1]
  if (name === undefined) return undefined
  return `As on hosted projects, nothing can be made in the schema ${name}: make it in a schema of the project.`
}

/** Explains event triggers, because Postgres's hint suggests a superuser, which projects do not have. */
function eventTrigger(error: unknown): string | undefined {
  if (!errorMessage(error).startsWith('permission denied to create event trigger ')) return undefined
  return 'Write CREATE EVENT TRIGGER as a statement of its own in a migration: it cannot stand in a seed, a function or a DO block.'
}

/** Explains a missing extension, because Postgres's advice ("must first be installed") does not apply to the packaged one. */
function missingExtension(error: unknown): string | undefined {
  const name = /^extension "(.+)" is not available$/.exec(errorMessage(error))?.[1]
  if (name === undefined) return undefined
  return `The packaged Postgres does not have ${name}. Install a Postgres 18 that has it and start with --postgres-bin=FOLDER, the folder of its programs, or use a server that has it with DATABASE_URL.`
}
