import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { loadConfig } from '../config/load-config.ts'
import { nearest } from '../config/names.ts'
import { migrationDeclarations, type MigrationConfig } from '../config/options.ts'
import { readHistory } from '../project/history.ts'
import { listMigrationFiles, type MigrationFile } from '../project/migration-files.ts'
import { applyPending, withProjectPool } from './apply-pending.ts'
import { readOrUndefined, type CommandInput } from './command.ts'

const COMMANDS = ['new', 'list', 'up'] as const

/** What a migration may be called: its name is part of a file's. */
const NAME = /^[\w-]+$/

/**
 * `holdfast migration …`: makes, lists and applies the migrations of the project, whether the server runs or not.
 *
 * @returns the exit code
 * @throws {HoldfastError} `migration_name_invalid`, `migration_missing`, `command_unknown`, and those of {@link applyPending}
 */
export async function migration(input: CommandInput, now: () => Date = () => new Date()): Promise<number> {
  const [command, ...argv] = input.argv
  if (command === 'new') return makeMigration(argv, input, now())
  if (command === 'list') return await listMigrations(readMigrationConfig(argv, input), input)
  if (command === 'up') return await applyAll(readMigrationConfig(argv, input), input)
  throw unknownCommand(command)
}

/** Settings of the commands that change a database by the files of the project. */
export function readMigrationConfig(argv: readonly string[], { env }: CommandInput): MigrationConfig {
  return loadConfig(migrationDeclarations, { argv, env, readFile: readOrUndefined })
}

/** @returns where a migration of this moment stands */
export function migrationPath(
  { migrationsDir }: Pick<MigrationConfig, 'migrationsDir'>,
  name: string,
  now: Date,
): MigrationFile {
  if (!NAME.test(name)) {
    throw new HoldfastError('migration_name_invalid', 500, `"${name}" cannot be the name of a migration.`, {
      hint: 'Write "holdfast migration new add_notes": letters, digits, - and _.',
    })
  }
  const version = now.toISOString().slice(0, 19).replaceAll(/\D/g, '')
  return { version, name, path: join(migrationsDir, `${version}_${name}.sql`) }
}

function makeMigration([name = '', ...argv]: readonly string[], input: CommandInput, now: Date): number {
  const config = readMigrationConfig(argv, input)
  const { path } = migrationPath(config, name, now)
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
  const applied = await withProjectPool(config, (pool) => readHistory(pool))
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

async function applyAll(config: MigrationConfig, { out, err }: CommandInput): Promise<number> {
  const versions = (await applyPending(config, err)).map(({ version }) => version)
  out(config.json ? `${JSON.stringify({ applied: versions })}\n` : `Applied ${versions.length} migrations.\n`)
  return 0
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
