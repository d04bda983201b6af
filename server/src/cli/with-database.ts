import { resolve } from 'node:path'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { findRunningCluster, openEmbeddedCluster, parseChosenSettings, readLockHolder } from '@holdfast/postgres'

/** The settings that select a database. */
export interface DatabaseChoice {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly postgresBin: string | undefined
  readonly postgresSettings: readonly string[]
}

/** Uses the database of DATABASE_URL, otherwise the data folder's, like {@link withEmbedded}. */
export async function withDatabase<T>(
  { databaseUrl, ...folder }: DatabaseChoice,
  use: (url: string) => Promise<T>,
): Promise<T> {
  return databaseUrl === undefined ? withEmbedded(folder, use) : use(databaseUrl)
}

/** Like {@link withDatabase}, but connects as the project's role. */
export async function withProjectDatabase<T>(
  { databaseUrl, ...folder }: DatabaseChoice,
  use: (url: string) => Promise<T>,
): Promise<T> {
  return databaseUrl === undefined ? withEmbedded(folder, use, 'project') : use(databaseUrl)
}

/**
 * Uses the Postgres that serves the data folder, or starts one temporarily.
 *
 * @throws {HoldfastError} `postgres_busy` while another process starts or stops it
 */
export async function withEmbedded<T>(
  choice: Omit<DatabaseChoice, 'databaseUrl'>,
  use: (url: string) => Promise<T>,
  as: 'superuser' | 'project' = 'superuser',
): Promise<T> {
  const dataDir = resolve(choice.dataDir)
  const url = findRunningCluster(dataDir, as)
  if (url !== undefined) return use(url)
  const holder = readLockHolder(dataDir)
  if (holder !== undefined) throw postgresBusy(holder)
  await using cluster = await openEmbeddedCluster({
    dataDir,
    port: 0,
    binDir: choice.postgresBin,
    settings: parseChosenSettings(choice.postgresSettings),
    logger: silentLogger,
    mustExist: true,
  })
  return await use(as === 'project' ? cluster.adminUrl : cluster.internalUrl)
}

function postgresBusy(holder: number): HoldfastError {
  return new HoldfastError('postgres_busy', 500, `Process ${holder} is starting or stopping Postgres there.`, {
    hint: 'Try again when it has.',
  })
}
