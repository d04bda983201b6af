import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** Variable with further installations' `bin` folders, separated by colons, with servers and client programs. */
const FOLDERS_VARIABLE = 'HOLDFAST_POSTGRES_BIN'
/** Folder of parallel versions on Debian and Ubuntu. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'
/** Required programs: for running a server, and for backups. */
const PROGRAMS = ['initdb', 'pg_ctl', 'postgres', 'pg_dump', 'pg_dumpall', 'pg_restore', 'psql'] as const
/** The oldest tested version. */
const MAJOR_MIN = 15

/** A Postgres on this machine that is not Holdfast's. */
export interface PostgresInstallation {
  readonly major: number
  readonly bin: string
}

/** A server of such an installation, with an empty database `postgres`. */
export interface ForeignPostgres extends AsyncDisposable {
  /** Connects as its superuser. */
  readonly url: string
  readonly port: number
}

/** Finds installations with servers and client programs: Debian's packages, and those in HOLDFAST_POSTGRES_BIN. */
export function findPostgresInstallations(): readonly PostgresInstallation[] {
  const debian = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER).map((version) => join(DEBIAN_FOLDER, version, 'bin'))
    : []
  const named = (process.env[FOLDERS_VARIABLE] ?? '').split(':').filter(Boolean)
  return [...debian, ...named]
    .filter((bin) => PROGRAMS.every((program) => existsSync(join(bin, program))))
    .map((bin) => ({ bin, major: majorOf(bin) }))
    .filter(({ major }) => major >= MAJOR_MIN)
}

function majorOf(bin: string): number {
  const version = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? 0)
}

/**
 * Starts a new, empty server.
 *
 * @param port - of an earlier, stopped server; default: a free one
 */
export async function openForeignPostgres({ bin }: PostgresInstallation, port?: number): Promise<ForeignPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-postgres-'))
  const data = join(folder, 'data')
  const password = join(folder, 'password')
  const user = serverUser()
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(password, 'secret: %', { mode: 0o600 })
  if (user) for (const path of [folder, data, password]) chownSync(path, user.uid, user.gid)
  const chosen = port ?? (await freePort())
  const run = async (program: string, ...argv: readonly string[]): Promise<void> => {
    await promisify(execFile)(join(bin, program), argv, { cwd: folder, ...user })
  }
  const start = [
    `-p ${chosen}`,
    `-k ${folder}`,
    '-c listen_addresses=127.0.0.1',
    '-c wal_level=logical',
    '-c fsync=off',
  ]
  try {
    await run(
      'initdb',
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    )
    // Redirects output to a file, because a server that inherits our pipe would block us.
    await run(
      'pg_ctl',
      'start',
      `--pgdata=${data}`,
      '--wait',
      `--log=${join(folder, 'log')}`,
      `--options=${start.join(' ')}`,
    )
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    url: `postgres://postgres:${encodeURIComponent('secret: %')}@127.0.0.1:${chosen}/postgres`,
    port: chosen,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', 'stop', `--pgdata=${data}`, '--mode=immediate', '--wait')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the user to run Postgres, which refuses root: that of Debian's package, otherwise `nobody`. `undefined` unless we are root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: '-u' | '-g', name: string): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  try {
    return { uid: idOf('-u', 'postgres'), gid: idOf('-g', 'postgres') }
  } catch {
    return { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') } // there is no such user
  }
}
