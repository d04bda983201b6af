import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HoldfastError } from '@holdfast/foundation'
import { isExecutable, ownerOf, resolveProgramIdentity, type Identity } from '@holdfast/postgres'
import { FOLDER_BYTES_MAX, HEAP_SHARE, OPEN_FILES_MAX, RESERVED_MB } from '../limits.ts'

/** Our modules that run in Deno. */
export const RUNTIME = new URL('../../runtime/', import.meta.url)

const SETPRIV = '/usr/bin/setpriv'
const PRLIMIT = '/usr/bin/prlimit'

/** Deno and the user it runs as. */
export interface Program {
  readonly deno: string
  readonly identity: Identity
  /** Owner of files written by functions; `undefined` if they run as the server's user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

/**
 * Locates Deno.
 *
 * @param configured - path from the options
 * @throws {HoldfastError} `functions_deno_missing`
 */
export function findDeno(configured: string | undefined): string {
  if (configured !== undefined) {
    if (isExecutable(configured)) return configured
    throw denoMissing(`${configured} cannot be run.`)
  }
  const name = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'deno')
  } catch {
    throw denoMissing(`The npm package ${name} is not installed.`, `npm install ${name}`)
  }
}

/**
 * @param home - Deno's package cache
 * @param directory - functions folder
 * @throws {HoldfastError} `postgres_folder_out_of_reach`
 */
export function resolveProgram(deno: string, home: string, directory: string): Program {
  const identity = resolveProgramIdentity(home, [
    { path: deno, bits: 0o5 },
    { path: join(fileURLToPath(RUNTIME), 'bootstrap.js'), bits: 0o4 },
    { path: dirname(home), bits: 0o1 },
    { path: directory, bits: 0o5 },
  ])
  return { deno, identity, owner: ownerOf(identity) }
}

export interface ProcessOptions {
  /** Working folder of the process: socket, import map and temporary files. */
  readonly folder: string
  readonly socket: string
  readonly home: string
  /** Folder of all functions. */
  readonly directory: string
  /** Paths in it that functions must not read. */
  readonly deniedPaths: readonly string[]
  readonly importMap: string
  readonly denoConfig: string | undefined
  readonly memoryMb: number
  /** Deno flag that enables the inspector, if any. */
  readonly inspectFlag: string | undefined
}

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly user: Identity['user']
}

/**
 * Builds the command line of a process. Where available (on every Linux with glibc), helper programs make the kernel end it with the server and limit its
 * memory and file sizes.
 */
export function commandOf({ deno, identity }: Program, options: ProcessOptions): Command {
  const before = [...endsWithServer(identity), ...limitsOf(options)]
  const [file = deno, ...args] = [...before, deno, ...denoArguments(options)]
  return { file, args, environment: environmentOf(options), user: identity.user }
}

function endsWithServer({ prefix }: Identity): readonly string[] {
  const dies = ['--pdeathsig=KILL', '--no-new-privs']
  // Deno checks its package cache with `access`, which considers capabilities only with this flag. The next program drops all other capabilities.
  if (prefix.length > 0) return [...prefix, '--securebits=+no_setuid_fixup', ...dies]
  return process.platform === 'linux' && existsSync(SETPRIV) ? [SETPRIV, ...dies] : []
}

function limitsOf({ memoryMb }: ProcessOptions): readonly string[] {
  if (process.platform !== 'linux' || !existsSync(PRLIMIT)) return []
  const bytes = (RESERVED_MB + memoryMb) * 1024 * 1024
  return [PRLIMIT, `--data=${bytes}`, '--core=0', `--nofile=${OPEN_FILES_MAX}`, `--fsize=${FOLDER_BYTES_MAX}`]
}

function denoArguments(options: ProcessOptions): readonly string[] {
  const { folder, directory, deniedPaths, importMap, denoConfig, memoryMb, inspectFlag } = options
  const runtime = fileURLToPath(RUNTIME)
  return [
    'run',
    '--quiet',
    '--no-prompt',
    '--no-lock',
    '--no-check',
    '--node-modules-dir=none',
    denoConfig === undefined ? '--no-config' : `--config=${denoConfig}`,
    `--import-map=${importMap}`,
    '--allow-env',
    '--allow-net',
    '--allow-import',
    '--allow-sys=hostname',
    `--allow-read=${[folder, directory, runtime].map(escapeComma).join(',')}`,
    ...(deniedPaths.length > 0 ? [`--deny-read=${deniedPaths.map(escapeComma).join(',')}`] : []),
    `--allow-write=${escapeComma(folder)}`,
    ...(inspectFlag === undefined ? [] : [inspectFlag]),
    '--deny-run',
    '--deny-ffi',
    `--v8-flags=--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`,
    join(runtime, 'bootstrap.js'),
  ]
}

/** Escapes commas, which separate paths in Deno's options. */
function escapeComma(path: string): string {
  return path.replaceAll(',', ',,')
}

/** Variables for network proxies and registries. All others are withheld from functions. */
const NETWORK_VARIABLES =
  /^(?:https?_proxy|no_proxy|all_proxy|ssl_cert_file|ssl_cert_dir|npm_config_registry|jsr_url)$/i

function environmentOf({ folder, home, socket }: ProcessOptions): Readonly<Record<string, string>> {
  const network = Object.entries(process.env).filter(([name]) => NETWORK_VARIABLES.test(name))
  return {
    ...(Object.fromEntries(network) as Record<string, string>),
    PATH: '/usr/bin:/bin',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    NO_COLOR: '1',
    DENO_DIR: home,
    DENO_NO_PROMPT: '1',
    DENO_NO_UPDATE_CHECK: '1',
    DENO_TLS_CA_STORE: 'system,mozilla',
    DENO_SERVE_ADDRESS: `unix:${socket}`,
  }
}

function denoMissing(detail: string, command = 'npm install'): HoldfastError {
  return new HoldfastError('functions_deno_missing', 500, 'Deno, which runs edge functions, was not found', {
    detail,
    hint: `Run "${command}" without --omit=optional, or set functionsDeno to a Deno of 2.9 or later.`,
  })
}
