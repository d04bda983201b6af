import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { clientToolFailed, clientToolsMissing } from './errors.ts'

/** Folder of client programs of several versions on Debian and Ubuntu. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Bytes of program output kept to explain a failure. */
const MESSAGES_BYTES_MAX = 16_384

/** Postgres client programs of one version. */
export interface ClientTools {
  /** Empty to use `PATH`. */
  readonly folder: string
  readonly major: number
}

/**
 * Finds `pg_dump` and related programs, at least as new as the server.
 *
 * @param folder - only location to search; default: `PATH` and Debian's folders
 * @throws {HoldfastError} `postgres_tools_missing`
 */
export function findClientTools(serverMajor: number, folder: string | undefined): ClientTools {
  const folders = folder === undefined ? ['', ...debianFolders()] : [folder]
  const found = folders.flatMap((candidate) => {
    const version = majorOf(candidate)
    return version === undefined ? [] : [{ folder: candidate, major: version }]
  })
  const usable = found.find(({ major }) => major >= serverMajor)
  if (usable) return usable
  throw clientToolsMissing(
    serverMajor,
    found.length === 0 ? undefined : found.map(({ major }) => `version ${major}`).join(', '),
  )
}

function debianFolders(): readonly string[] {
  try {
    return readdirSync(DEBIAN_FOLDER).map((version) => join(DEBIAN_FOLDER, version, 'bin'))
  } catch {
    return [] // another system
  }
}

function majorOf(folder: string): number | undefined {
  const answer = spawnSync(join(folder, 'pg_dump'), ['--version'], { encoding: 'utf8' })
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(answer.stdout ?? '') ?? []
  return major === undefined ? undefined : Number(major)
}

/**
 * Runs a client program against a database. Passes the password in the environment, hidden from other users.
 *
 * @throws {HoldfastError} `postgres_tool_failed` with its stderr
 */
export async function runClientTool(
  tools: ClientTools,
  program: 'pg_dump' | 'pg_dumpall' | 'pg_restore' | 'psql',
  url: string,
  argv: readonly string[],
): Promise<void> {
  const address = new URL(url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  const child = spawn(join(tools.folder, program), [`--dbname=${address.href}`, '--no-password', ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PGPASSWORD: password, LC_ALL: 'C' },
  })
  let messages = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = `${messages}${text}`.slice(-MESSAGES_BYTES_MAX)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(clientToolFailed(program, error.message)))
    child.once('close', resolve)
  })
  if (code !== 0) throw clientToolFailed(program, messages)
}
