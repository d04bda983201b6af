import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { errorMessage, HoldfastError, limitRepeats, silentLogger, systemClock } from '@holdfast/foundation'
import { BEFORE_RESET, createPool, setClusterAside, sql } from '@holdfast/postgres'
import { STORED_FILES } from '../backup/stored-files.ts'
import { servesThisMachineOnly } from '../config/loopback.ts'
import { dbDeclarations, type DbConfig } from '../config/options.ts'
import { createLogger } from '../logger.ts'
import { openHoldfast } from '../open-holdfast.ts'
import { listMigrationFiles } from '../project/migration-files.ts'
import { requireVersion } from '../project/prepare-project.ts'
import { readDatabaseConfig } from '../project/project-config.ts'
import type { ProjectPreparation } from '../project/reset-request.ts'
import { readRunning } from '../running-file.ts'
import { applyPending, listPending } from './apply-pending.ts'
import { applySeeds } from './apply-seeds.ts'
import { readSettings, type CommandInput } from './command.ts'
import { resetRunning } from './reset-running.ts'
import { withEmbedded } from './with-database.ts'

/**
 * `holdfast db reset`: recreates the project database with migrations and seeds.
 *
 * @returns the exit code
 * @throws {HoldfastError} `reset_external`, `reset_not_confirmed`, `migration_missing`, and start errors
 */
export async function resetDatabase(input: CommandInput): Promise<number> {
  const config = readSettings(dbDeclarations, input)
  refuseOthers(config)
  requireVersion(config)
  await requireReadable(config)
  const dataDir = resolve(config.dataDir)
  const running = readRunning(dataDir)
  const hadDatabase = existsSync(join(dataDir, 'postgres'))
  const bornAt = hadDatabase ? await readBirth(config, input) : undefined
  const request: ProjectPreparation = { seeds: config.seed, upTo: config.version, bornAt }
  if (running === undefined) await resetFolder({ ...config, dataDir }, request, input)
  else {
    input.err('Resetting the database of the running server …\n')
    await resetRunning(running, dataDir, request)
  }
  const aside = hadDatabase ? join(relative(process.cwd(), dataDir) || '.', BEFORE_RESET) : undefined
  if (config.json) input.out(`${JSON.stringify({ reset: dataDir, before: aside })}\n`)
  else {
    const kept = aside === undefined ? '' : ` What was there before is in ${aside} until the next reset.`
    input.out(`The database is new.${kept}\n`)
  }
  return 0
}

/** Validates the project's files before deleting the database. */
async function requireReadable(config: DbConfig): Promise<void> {
  if (!config.projectMigrations) return
  await readDatabaseConfig(config.functionsConfig)
  listMigrationFiles(config.migrationsDir)
}

/** A database that no longer starts is a reason to reset it. */
async function readBirth(config: DbConfig, { err }: CommandInput): Promise<string | undefined> {
  try {
    return await withEmbedded(config, async (url) => {
      await using pool = createPool({ url, applicationName: 'holdfast db reset', connectionsMax: 1 })
      const [row] = await pool.query<{ born: Date | null }>(sql`select min(created_at) as born from auth.signing_keys`)
      return row?.born?.toISOString()
    })
  } catch (error) {
    err(`The database cannot be read (${errorMessage(error)}), so the API keys will be others.\n`)
    return undefined
  }
}

/** Starts with a new folder on unknown ports. */
async function resetFolder(config: DbConfig, request: ProjectPreparation, { err }: CommandInput): Promise<void> {
  if (existsSync(join(config.dataDir, 'postgres'))) await setClusterAside(config.dataDir, [STORED_FILES], silentLogger)
  using logger = limitRepeats(createLogger('warn', err, systemClock.now), systemClock)
  await using _ = await openHoldfast({
    config: { ...config, port: 0, dbPort: 0 },
    logger,
    clock: systemClock,
    progress: (line) => err(`  ${line} …\n`),
    signal: new AbortController().signal,
    preparation: request,
  })
}

function refuseOthers(config: DbConfig): void {
  if (config.databaseUrl !== undefined) {
    throw new HoldfastError('reset_external', 500, 'A database of DATABASE_URL is not reset.', {
      hint: 'Make a new one there, and apply the migrations with "holdfast db push".',
    })
  }
  if (servesThisMachineOnly(config) || config.yes) return
  throw new HoldfastError(
    'reset_not_confirmed',
    500,
    'This server is for other machines as well: its rows would be gone.',
    {
      hint: 'If that is what you want, say --yes.',
    },
  )
}

/**
 * `holdfast db push`: applies the project's migrations to its database or `DATABASE_URL`.
 *
 * @returns the exit code
 * @throws {HoldfastError} `migration_missing`, and migration errors
 */
export async function pushMigrations(input: CommandInput): Promise<number> {
  const config = readSettings(dbDeclarations, input)
  const files = config.dryRun ? await listPending(config, input.err) : await applyPending(config, input.err)
  const versions = files.map(({ version }) => version)
  const seeds = config.includeSeed && !config.dryRun ? (await applySeeds(config, input.err)).applied : []
  if (config.json)
    input.out(`${JSON.stringify(config.dryRun ? { pending: versions } : { applied: versions, seeds })}\n`)
  else if (config.dryRun)
    input.out(
      files.map(({ path }) => `Would apply ${relative(process.cwd(), path)}\n`).join('') || 'Nothing to apply.\n',
    )
  else input.out(`Applied ${versions.length} migrations${config.includeSeed ? ` and ${seeds.length} seeds` : ''}.\n`)
  return 0
}
