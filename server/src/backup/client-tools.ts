import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { clientToolFailed, clientToolsMissing } from './errors.ts'

/** Where Debian and Ubuntu keep the client programs of several versions side by side. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Bytes of a program's messages that are kept to explain a failure. */
const MESSAGES_BYTES_MAX = 16_384

/** The client programs of Postgres, of one version. */
export interface ClientTools {
  /** Empty: they are found through `PATH`. */
  readonly folder: string
  readonly major: number
}

/**
 * Finds `pg_dump` and its companions, which must not be older than the server.
 *
 * @param folder - where to look only; by default `PATH` and the folders of Debian's packages
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
 * Runs one of the programs against a database. The password goes through the environment, where other users of the machine do not see it.
 *
 * @throws {HoldfastError} `postgres_tool_failed` with what it wrote to stderr
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
