import { once } from 'node:events'
import { open, rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { dbDeclarations, type DbConfig } from '../config/options.ts'
import { gapsOf } from '../migrate/gaps.ts'
import { findHoldfastParts } from '../migrate/holdfast-parts.ts'
import { PLATFORM_SCHEMAS } from '../migrate/hosted-schemas.ts'
import { openSource, type Source, type SourceTable } from '../migrate/source.ts'
import { extensionsOf } from '../migrate/write-folder.ts'
import { renderRoles } from '../migrate/write-roles.ts'
import { fullName, SHARED_SCHEMAS, tablesOf, writeRows } from '../migrate/write-rows.ts'
import { writeSchema } from '../migrate/write-schema.ts'
import { readSettings, type CommandInput } from './command.ts'
import { withProjectDatabase } from './with-database.ts'

export const DUMP_APPLICATION = 'holdfast db dump'

/** Maintained by the migration commands. */
const HISTORY = 'supabase_migrations'

type Write = (text: string) => Promise<void>

/**
 * `holdfast db dump`: writes the project's definitions as SQL, or with `--data-only` its rows, with `--role-only` its roles; whether or not the server is
 * running, or for `--db-url`. Contains no platform secrets.
 *
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid`, `schema_unknown`, `dump_failed`, and errors of opening the database
 */
export async function dump(input: CommandInput): Promise<number> {
  const config = readSettings(dbDeclarations, input)
  // Command lines are visible to all users in the process list.
  process.title = DUMP_APPLICATION
  requireSense(config)
  const progress = (line: string): void => input.err(`${line}\n`)
  return await withProjectDatabase({ ...config, dataDir: resolve(config.dataDir) }, async (sourceUrl) => {
    await using source = await openSource(sourceUrl, DUMP_APPLICATION)
    const schemas = chooseSchemas(source, config)
    const tables = config.dataOnly ? chooseTables(source, schemas, config.exclude) : []
    if (config.dryRun) {
      input.out(renderPlan(config, schemas, tables))
      return 0
    }
    const write = async (to: Write): Promise<void> => {
      if (config.roleOnly) await to(await renderRoles(source))
      else if (config.dataOnly) {
        const usesCopy = config.useCopy
        const written = await writeRows({ source, tables, schemas, usesCopy }, to)
        progress(`Dumped ${written.rows} rows of ${written.tables} tables.`)
      } else await writeDefinitions({ source, sourceUrl, schemas, config }, to)
    }
    await deliver(config, input, write)
    for (const line of hintsOf(source, schemas, config)) progress(line)
    return 0
  })
}

function requireSense({ dataOnly, roleOnly, useCopy, exclude }: DbConfig): void {
  if (dataOnly && roleOnly) throw invalid('--data-only and --role-only exclude each other.', 'Dump into two files.')
  if (!dataOnly && (useCopy || exclude.length > 0))
    throw invalid('--use-copy and --exclude are for rows.', 'Say --data-only as well.')
}

/** Returns the schemas dumped without `--schema`: the project's, plus its additions to platform schemas. */
export function chooseSchemas({ inventory }: Source, { schema: wanted }: Pick<DbConfig, 'schema'>): readonly string[] {
  const own = inventory.schemas.filter((name) => name !== HISTORY)
  if (wanted.length === 0) return [...own, ...SHARED_SCHEMAS]
  for (const name of wanted) {
    if (own.includes(name) || SHARED_SCHEMAS.includes(name)) continue
    if (name === HISTORY || PLATFORM_SCHEMAS.includes(name))
      throw invalid(`Schema ${name} is the platform’s, and is not dumped.`, 'holdfast backup takes all of a database.')
    throw new HoldfastError('schema_unknown', 500, `There is no schema "${name}".`, {
      hint: `There are ${own.join(', ')}.`,
    })
  }
  return wanted
}

function chooseTables(source: Source, schemas: readonly string[], exclude: readonly string[]): readonly SourceTable[] {
  const tables = tablesOf(source, schemas)
  for (const name of exclude)
    if (!tables.some((table) => fullName(table) === name))
      throw invalid(`--exclude: there is no table ${name} in what is dumped.`, 'Write schema.table.')
  return tables.filter((table) => !exclude.includes(fullName(table)))
}

interface Definitions {
  readonly source: Source
  readonly sourceUrl: string
  readonly schemas: readonly string[]
  readonly config: Pick<DbConfig, 'schema' | 'keepComments'>
}

/** Writes everything but rows and roles. */
export async function writeDefinitions(
  { source, sourceUrl, schemas, config }: Definitions,
  write: Write,
): Promise<void> {
  const isWhole = config.schema.length === 0
  const found = isWhole ? extensionsOf(source.inventory, await findHoldfastParts(source)) : []
  // Some exist implicitly or on first use; sorting makes dumps comparable.
  const extensions = found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  await writeSchema(
    {
      source,
      sourceUrl,
      applicationName: DUMP_APPLICATION,
      schemas,
      isWhole,
      extensions,
      keepsComments: config.keepComments,
    },
    write,
  )
}

/** Mentions what the dump omits but users may expect. */
function hintsOf(source: Source, schemas: readonly string[], config: DbConfig): readonly string[] {
  const { inventory } = source
  if (config.roleOnly)
    return inventory.roles.map((name) => `The password of role ${name} cannot be read: set it there.`)
  if (config.dataOnly)
    return schemas.includes('auth') && inventory.tables.some(({ schema }) => schema === 'auth')
      ? ['Accounts come without passwords, factors and sessions; "holdfast export" and "backup" take those along.']
      : []
  return [
    ...gapsOf(inventory).map(({ what, why }) => `Not in the dump: ${what}: ${why}.`),
    ...(inventory.roles.length > 0
      ? [`Not in the dump: roles ${inventory.roles.join(', ')}. "holdfast db dump --role-only" writes them.`]
      : []),
  ]
}

function renderPlan(config: DbConfig, schemas: readonly string[], tables: readonly SourceTable[]): string {
  if (config.json)
    return `${JSON.stringify({ schemas, tables: tables.map((table) => ({ table: fullName(table), rows: Math.max(0, table.rows) })) })}\n`
  if (config.roleOnly) return 'Would dump the roles of the project.\n'
  if (!config.dataOnly) return `Would dump the definitions of ${schemas.join(', ')}.\n`
  return tables
    .map(
      (table) => `Would dump ${fullName(table)}, ${table.rows < 0 ? 'not counted yet' : `about ${table.rows} rows`}\n`,
    )
    .join('')
}

/** Writes to stdout or a file, which is renamed when complete. */
async function deliver(config: DbConfig, { out }: CommandInput, write: (to: Write) => Promise<void>): Promise<void> {
  try {
    if (config.file !== undefined) {
      const path = resolve(config.file)
      await toFile(path, write)
      out(config.json ? `${JSON.stringify({ file: path })}\n` : `Dumped to ${config.file}\n`)
    } else if (config.json) {
      const parts: string[] = []
      await write(async (text) => void parts.push(text))
      out(`${JSON.stringify({ dump: parts.join('') })}\n`)
    } else {
      await write(async (text) => {
        out(text)
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
      })
    }
  } catch (error) {
    throw dumpFailed(error)
  }
}

async function toFile(path: string, write: (to: Write) => Promise<void>): Promise<void> {
  const unfinished = `${path}.${randomUUID().slice(0, 8)}.unfinished`
  // Rows must not be readable by other users.
  const file = await open(unfinished, 'wx', 0o600)
  try {
    // Each write is awaited: an error between writes, such as a full disk, would crash the process.
    await write((text) => file.appendFile(text))
    await file.close()
    await rename(unfinished, path)
  } catch (error) {
    await file.close().catch(() => undefined) // report the first error
    await rm(unfinished, { force: true })
    throw error
  }
}

export function dumpFailed(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error
  return new HoldfastError('dump_failed', 500, 'The database was not dumped.', {
    detail: errorMessage(error),
    hint: 'Nothing of it is left. Mend what it says, and run the command again.',
    cause: error,
  })
}

function invalid(message: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, message, { hint })
}
