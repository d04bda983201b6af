import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { keysDeclarations, type KeysConfig } from '../config/options.ts'
import { readRunning } from '../running-file.ts'
import { sourcesOf, type CommandInput } from './command.ts'
import { connectTo } from './sync/connection.ts'

const SIGNING_KEYS = '/auth/v1/admin/signing-keys'

/** Shown characters of a hidden key, enough to distinguish keys. */
const SHOWN_CHARS = 18

interface SigningKey {
  readonly kid: string
  readonly algorithm: string
  readonly status: string
  readonly created_at: string
}

/**
 * `holdfast keys list`: lists API keys and signing keys of a running server.
 *
 * @param isTerminal - whether the output is a terminal
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid`, `server_unreachable`
 */
export async function listKeys(input: CommandInput, isTerminal = process.stdout.isTTY): Promise<number> {
  const { config, request } = await open(input)
  requireTerminal(config, isTerminal)
  return list(await request(), config, input)
}

/** `holdfast keys add`: creates a standby signing key. */
export async function addKey(input: CommandInput): Promise<number> {
  const { config, request } = await open(input)
  return told(await request('', { method: 'POST', body: { algorithm: config.algorithm } }), config, input)
}

/** `holdfast keys rotate [KEY]`: starts signing sessions with the standby key. */
export async function rotateKey(input: CommandInput): Promise<number> {
  const { config, request } = await open(input)
  const [kid] = input.words
  const body = { at_once: config.atOnce, ...(kid !== undefined && { kid }) }
  return told(await request('/rotate', { method: 'POST', body }), config, input)
}

/** `holdfast keys revoke KEY`: rejects everything signed with a key. */
export async function revokeKey(input: CommandInput): Promise<number> {
  const { config, request } = await open(input)
  const [kid = ''] = input.words
  return told(await request(`/${encodeURIComponent(kid)}`, { method: 'DELETE' }), config, input)
}

type Request = Parameters<ReturnType<typeof connectTo>['json']>[1]

async function open(input: CommandInput): Promise<{
  readonly config: KeysConfig
  readonly request: (path?: string, init?: Request) => Promise<readonly SigningKey[]>
}> {
  const { config } = await loadProjectConfig(keysDeclarations, sourcesOf(input))
  const connection = connectTo(config)
  return {
    config,
    request: async (path = '', init) =>
      (await connection.json<{ readonly keys: readonly SigningKey[] }>(`${SIGNING_KEYS}${path}`, init)).keys,
  }
}

/** Allows complete keys only on a terminal or with `--json`, because build logs have many readers. */
function requireTerminal({ show, json }: KeysConfig, isTerminal: boolean): void {
  if (!show || isTerminal || json) return
  throw invalid('Keys are shown on a terminal only.', 'A program reads them with --show --json.')
}

function list(signing: readonly SigningKey[], config: KeysConfig, { out }: CommandInput): number {
  const api = apiKeysOf(config)
  if (config.json) {
    out(`${JSON.stringify({ api, signing })}\n`)
    return 0
  }
  const names = Object.entries(api)
  const width = Math.max(0, ...names.map(([name]) => name.length))
  const lines = names.map(([name, key]) => `  ${name.padEnd(width)}  ${key}\n`)
  const heading = config.show ? '' : ' (whole with --show)'
  out(lines.length === 0 ? '' : `API keys${heading}\n${lines.join('')}\n`)
  out(renderSigning(signing))
  return 0
}

/** Returns the API keys recorded by the data folder's server; none for another machine's. */
function apiKeysOf({ dataDir, show }: KeysConfig): Readonly<Record<string, string>> {
  const ready = readRunning(resolve(dataDir))?.ready
  if (!ready) return {}
  const { publishableKey, secretKey, anonKey, serviceRoleKey } = ready
  const all = { publishable: publishableKey, secret: secretKey, anon: anonKey, service_role: serviceRoleKey }
  if (show) return all
  return Object.fromEntries(Object.entries(all).map(([name, key]) => [name, `${key.slice(0, SHOWN_CHARS)}…`]))
}

function told(signing: readonly SigningKey[], { json }: KeysConfig, { out }: CommandInput): number {
  out(json ? `${JSON.stringify({ signing })}\n` : renderSigning(signing))
  return 0
}

function renderSigning(signing: readonly SigningKey[]): string {
  const width = Math.max(3, ...signing.map(({ kid }) => kid.length))
  const lines = signing.map(
    ({ kid, algorithm, status, created_at: at }) =>
      `  ${kid.padEnd(width)}  ${algorithm}  ${status.padEnd(8)}  ${at.slice(0, 16).replace('T', ' ')} UTC\n`,
  )
  return `Keys that sign sessions\n${lines.join('')}`
}

function invalid(message: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, message, { hint })
}
