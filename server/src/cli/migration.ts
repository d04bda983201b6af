import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { migrationDeclarations, type MigrationConfig } from '../config/options.ts'
import { readHistory } from '../project/history.ts'
import { listMigrationFiles, type MigrationFile } from '../project/migration-files.ts'
import { applyPending, withProjectPool } from './apply-pending.ts'
import { readSettings, type CommandInput } from './command.ts'

/** Valid migration names, which become part of a file name. */
const NAME = /^[\w-]+$/

/** @returns the path for a migration created now */
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

/**
 * `holdfast migration new NAME`: creates an empty migration.
 *
 * @returns the exit code
 * @throws {HoldfastError} `migration_name_invalid`
 */
export function newMigration(input: CommandInput, now = new Date()): number {
  const config = readSettings(migrationDeclarations, input)
  const [name = ''] = input.words
  const { path } = migrationPath(config, name, now)
  mkdirSync(config.migrationsDir, { recursive: true })
  writeFileSync(path, '', { flag: 'wx' })
  const shown = relative(process.cwd(), path)
  input.out(config.json ? `${JSON.stringify({ created: path })}\n` : `Created ${shown}\n`)
  return 0
}

interface Listed {
  /** `undefined` without a file. */
  readonly local: string | undefined
  /** `undefined` if not applied. */
  readonly applied: string | undefined
  readonly name: string | undefined
}

/**
 * `holdfast migration list`: lists the project's migrations and which are applied.
 *
 * @returns the exit code
 * @throws {HoldfastError} errors of opening the database
 */
export async function listMigrations(input: CommandInput): Promise<number> {
  const config = readSettings(migrationDeclarations, input)
  const { files } = listMigrationFiles(config.migrationsDir)
  const applied = await withProjectPool(config, (pool) => readHistory(pool))
  const done = new Set(applied)
  const names = new Map(files.map(({ version, name }) => [version, name]))
  const listed = [...new Set([...names.keys(), ...applied])].toSorted().map((version): Listed => ({
    local: names.has(version) ? version : undefined,
    applied: done.has(version) ? version : undefined,
    name: names.get(version),
  }))
  input.out(config.json ? `${JSON.stringify(listed)}\n` : renderList(listed))
  return 0
}

function renderList(listed: readonly Listed[]): string {
  if (listed.length === 0) return 'There are no migrations. "holdfast migration new NAME" makes one.\n'
  const width = 14 // length of a timestamp version
  const rows = listed.map(({ local = '', applied = '', name = '' }) =>
    `${local.padEnd(width)}  ${applied.padEnd(width)}  ${name}`.trimEnd(),
  )
  return `${['file'.padEnd(width), 'applied'.padEnd(width), 'name'].join('  ')}\n${rows.join('\n')}\n`
}

/**
 * `holdfast migration up`: applies pending migrations, whether or not the server is running.
 *
 * @returns the exit code
 * @throws {HoldfastError} `migration_missing`, and errors of {@link applyPending}
 */
export async function applyMigrationFiles(input: CommandInput): Promise<number> {
  const config = readSettings(migrationDeclarations, input)
  const versions = (await applyPending(config, input.err)).map(({ version }) => version)
  input.out(config.json ? `${JSON.stringify({ applied: versions })}\n` : `Applied ${versions.length} migrations.\n`)
  return 0
}
