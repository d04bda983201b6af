import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import { createPool, withOwnSettings } from '@holdfast/postgres'
import type { Config } from '../config/options.ts'
import { readHistory } from './history.ts'
import { listMigrationFiles } from './migration-files.ts'
import { prepareProject } from './prepare-project.ts'
import { readDatabaseConfig } from './project-config.ts'
import { watchFiles } from './watch-files.ts'

/** Why the project could not be applied to the database, for humans and tools. */
export interface ProjectProblem {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

export interface FollowProjectOptions {
  readonly config: Config
  /** Connects as the project's role. */
  readonly adminUrl: string
  readonly logger: Logger
  readonly progress: (line: string) => void
  /** Called when the database is up to date. */
  readonly onApplied: () => Promise<void>
  readonly onProblem: (error: unknown) => void
}

/**
 * Applies new migrations and seeds of the project folder until closed. Retries a failed one when it changes; reports changes to applied ones as problems,
 * because only a reset can undo them.
 */
export async function followProject(options: FollowProjectOptions): Promise<AsyncDisposable> {
  const { config, adminUrl, logger, progress } = options
  if (!config.projectMigrations) return { [Symbol.asyncDispose]: () => Promise.resolve() }
  let seen = hashesOf(config)
  let seeds = await seedsOf(config)
  let changedSeeds: ReadonlySet<string> = new Set() // already reported
  const apply = async (): Promise<void> => {
    seeds = await seedsOf(config) // `config.toml` may have changed
    try {
      const before = new Set(await appliedVersions(adminUrl))
      const others = await prepareProject({ adminUrl, serverVersion: 0 }, { config, logger, progress })
      const other = others.find((name) => !changedSeeds.has(name))
      changedSeeds = new Set(others)
      const now = hashesOf(config)
      const changed = [...seen].find(([version, { hash }]) => before.has(version) && now.get(version)?.hash !== hash)
      seen = now
      const path = changed && now.get(changed[0])?.path
      if (path !== undefined) throw changedAfterwards(path, 'a further migration')
      await options.onApplied()
      if (other !== undefined) throw changedAfterwards(other, 'a further seed')
    } catch (error) {
      options.onProblem(error)
    }
  }
  return watchFiles(config.migrationsDir, () => [config.functionsConfig, ...seeds()], apply)
}

/** @returns a function that lists the current seeds; none if the configuration is unreadable, which applying reports */
async function seedsOf(config: Config): Promise<() => readonly string[]> {
  try {
    const { folder, seedPatterns } = await readDatabaseConfig(config.functionsConfig)
    return () => seedPatterns.flatMap((pattern) => globSync(pattern, { cwd: folder })).map((name) => join(folder, name))
  } catch {
    return () => []
  }
}

async function appliedVersions(adminUrl: string): Promise<readonly string[]> {
  await using pool = createPool({
    url: withOwnSettings(adminUrl, 0),
    applicationName: 'holdfast project',
    connectionsMax: 1,
  })
  return await readHistory(pool)
}

type Seen = ReadonlyMap<string, { readonly path: string; readonly hash: string }>

/** By version; empty if the folder cannot be listed, which applying reports. */
function hashesOf(config: Config): Seen {
  try {
    const { files } = listMigrationFiles(config.migrationsDir)
    return new Map(
      files.map(({ version, path }) => [
        version,
        { path, hash: createHash('sha256').update(readFileSync(path)).digest('hex') },
      ]),
    )
  } catch {
    return new Map()
  }
}

function changedAfterwards(path: string, instead: string): HoldfastError {
  return new HoldfastError('migration_changed', 500, `${path} has changed after it was applied.`, {
    hint: `Make ${instead}, or the database anew with "holdfast db reset".`,
  })
}
