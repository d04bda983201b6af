import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import { loadConfig } from '../config/load-config.ts'
import { nearest } from '../config/names.ts'
import { migrationDeclarations, type MigrationConfig } from '../config/options.ts'
import { readHistory } from '../project/history.ts'
import { migrateProject } from '../project/migrate.ts'
import { listMigrationFiles } from '../project/migration-files.ts'
import { readOrUndefined, type CommandInput } from './command.ts'
import { withProjectDatabase } from './with-database.ts'

const COMMANDS = ['new', 'list', 'up'] as const

/** What a migration may be called: its name is part of a file's. */
const NAME = /^[\w-]+$/

/**
 * `holdfast migration …`: makes, lists and applies the migrations of the project, whether the server runs or not.
 *
 * @returns the exit code
 * @throws {HoldfastError} `migration_name_invalid`, `migration_missing`, `command_unknown`, and those of {@link migrateProject}
 */
export async function migration(input: CommandInput, now: () => Date = () => new Date()): Promise<number> {
  const [command, ...argv] = input.argv
  if (command === 'new') return makeMigration(argv, input, now())
  if (command === 'list') return await listMigrations(readConfig(argv, input), input)
  if (command === 'up') return await applyPending(readConfig(argv, input), input)
  throw unknownCommand(command)
}

function readConfig(argv: readonly string[], { env }: CommandInput): MigrationConfig {
  return loadConfig(migrationDeclarations, { argv, env, readFile: readOrUndefined })
}

function makeMigration([name = '', ...argv]: readonly string[], input: CommandInput, now: Date): number {
  const config = readConfig(argv, input)
  if (!NAME.test(name)) {
    throw new HoldfastError('migration_name_invalid', 500, `"${name}" cannot be the name of a migration.`, {
      hint: 'Write "holdfast migration new add_notes": letters, digits, - and _.',
    })
  }
  const version = now.toISOString().slice(0, 19).replaceAll(/\D/g, '')
  const path = join(config.migrationsDir, `${version}_${name}.sql`)
  mkdirSync(config.migrationsDir, { recursive: true })
  writeFileSync(path, '', { flag: 'wx' })
  const shown = relative(process.cwd(), path)
  input.out(config.json ? `${JSON.stringify({ created: path })}\n` : `Created ${shown}\n`)
  return 0
}

interface Listed {
  /** `undefined`: there is no file. */
  readonly local: string | undefined
  /** `undefined`: it is not applied. */
  readonly applied: string | undefined
  readonly name: string | undefined
}

async function listMigrations(config: MigrationConfig, { out }: CommandInput): Promise<number> {
  const { files } = listMigrationFiles(config.migrationsDir)
  const applied = await withPool(config, (pool) => readHistory(pool))
  const done = new Set(applied)
  const names = new Map(files.map(({ version, name }) => [version, name]))
  const listed = [...new Set([...names.keys(), ...applied])].toSorted().map((version): Listed => ({
    local: names.has(version) ? version : undefined,
    applied: done.has(version) ? version : undefined,
    name: names.get(version),
  }))
  out(config.json ? `${JSON.stringify(listed)}\n` : renderList(listed))
  return 0
}

function renderList(listed: readonly Listed[]): string {
  if (listed.length === 0) return 'There are no migrations. "holdfast migration new NAME" makes one.\n'
  const width = 14 // of a version that is a time
  const rows = listed.map(({ local = '', applied = '', name = '' }) =>
    `${local.padEnd(width)}  ${applied.padEnd(width)}  ${name}`.trimEnd(),
  )
  return `${['file'.padEnd(width), 'applied'.padEnd(width), 'name'].join('  ')}\n${rows.join('\n')}\n`
}

async function applyPending(config: MigrationConfig, { out, err }: CommandInput): Promise<number> {
  if (!existsSync(config.migrationsDir)) {
    throw new HoldfastError('migration_missing', 500, `There is no folder ${config.migrationsDir}.`, {
      hint: 'Run this in the folder of the project, or name the folder with --migrations-dir.',
    })
  }
  const { files, skipped } = listMigrationFiles(config.migrationsDir)
  for (const name of skipped) err(`Skipped ${name}: its name is not <version>_<name>.sql.\n`)
  const applied = await withPool(config, (pool) =>
    migrateProject({
      pool,
      files,
      includesOlder: config.includeAll,
      onMissing(versions) {
        throw new HoldfastError('migration_missing', 500, 'Migrations are applied that have no file here.', {
          detail: versions.join('\n'),
          hint: 'Get the files, from another branch perhaps.',
        })
      },
      onFile: ({ path }) => err(`Applying ${relative(process.cwd(), path)} …\n`),
    }),
  )
  const versions = applied.map(({ version }) => version)
  out(config.json ? `${JSON.stringify({ applied: versions })}\n` : `Applied ${versions.length} migrations.\n`)
  return 0
}

async function withPool<T>(
  config: MigrationConfig,
  use: (pool: Awaited<ReturnType<typeof createPool>>) => Promise<T>,
): Promise<T> {
  return await withProjectDatabase(config, async (url) => {
    await using pool = createPool({
      url: withOwnSettings(url, 0),
      applicationName: 'holdfast migration',
      connectionsMax: 1,
    })
    return await use(pool)
  })
}

function unknownCommand(command: string | undefined): HoldfastError {
  const meant = command === undefined ? undefined : nearest(command, COMMANDS)
  return new HoldfastError(
    'command_unknown',
    500,
    command === undefined ? 'What about migrations?' : `"migration ${command}" is not a command.`,
    {
      hint: meant
        ? `Did you mean "holdfast migration ${meant}"?`
        : 'There are "holdfast migration new", "list" and "up".',
    },
  )
}
