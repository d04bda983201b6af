import { mkdirSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { dbDeclarations, type DbConfig } from '../config/options.ts'
import { openSource } from '../migrate/source.ts'
import { renderRoles } from '../migrate/write-roles.ts'
import { readHistory } from '../project/history.ts'
import { recordMigration } from '../project/migrate.ts'
import { listMigrationFiles } from '../project/migration-files.ts'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import { chooseSchemas, DUMP_APPLICATION, dumpFailed, writeDefinitions } from './dump.ts'
import { readSettings, type CommandInput } from './command.ts'
import { migrationPath } from './migration.ts'
import { withProjectDatabase } from './with-database.ts'

/** Name used by the ecosystem's CLI. */
const NAME = 'remote_schema'

/**
 * `holdfast db pull`: writes a project's first migration from an existing database and records it as applied. Later ones would require a schema diff.
 *
 * @returns the exit code
 * @throws {HoldfastError} `pull_needs_diff`, `migration_missing`, `dump_failed`, and errors of opening the database
 */
export async function pull(input: CommandInput, now = new Date()): Promise<number> {
  const config = readSettings(dbDeclarations, input)
  const [name = NAME] = input.words
  process.title = 'holdfast db pull'
  const files = existsSync(config.migrationsDir) ? listMigrationFiles(config.migrationsDir).files : []
  if (files.length > 0) throw needsDiff(config.migrationsDir)
  const file = migrationPath(config, name, now)
  await withProjectDatabase({ ...config, dataDir: resolve(config.dataDir) }, async (url) => {
    await using pool = createPool({
      url: withOwnSettings(url, 0),
      applicationName: DUMP_APPLICATION,
      connectionsMax: 1,
    })
    if ((await readHistory(pool)).length > 0) throw hasHistory()
    const text = await readAll(config, url).catch((error: unknown) => {
      throw dumpFailed(error)
    })
    await recordMigration(pool, { ...file, text }, () => {
      mkdirSync(dirname(file.path), { recursive: true })
      writeFileSync(file.path, text, { flag: 'wx' })
    })
  })
  const shown = relative(process.cwd(), file.path)
  input.out(config.json ? `${JSON.stringify({ created: file.path })}\n` : `Created ${shown}, which the database has.\n`)
  return 0
}

async function readAll(config: DbConfig, sourceUrl: string): Promise<string> {
  await using source = await openSource(sourceUrl, DUMP_APPLICATION)
  const parts: string[] = []
  // A database created only from migrations needs the roles, too.
  if (source.inventory.roles.length > 0) parts.push(await renderRoles(source), '\n')
  const schemas = chooseSchemas(source, config)
  await writeDefinitions({ source, sourceUrl, schemas, config }, async (text) => void parts.push(text))
  return parts.join('')
}

function needsDiff(folder: string): HoldfastError {
  return new HoldfastError(
    'pull_needs_diff',
    500,
    `${relative(process.cwd(), folder) || folder} has migrations already.`,
    {
      hint: 'db pull writes the first migration only. For what a database has beside them write one with "holdfast migration new"; "holdfast db dump" shows all of it.',
    },
  )
}

function hasHistory(): HoldfastError {
  return new HoldfastError('migration_missing', 500, 'The database has migrations that have no file here.', {
    hint: 'Get the files, from the repository of the project: "holdfast migration list" names them. What they made is in "holdfast db dump" as well.',
  })
}
