import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { separateWords } from '../config/load-config.ts'
import { nearest } from '../config/names.ts'
import { keysDeclarations, type KeysConfig } from '../config/options.ts'
import { readRunning } from '../running-file.ts'
import { readOrUndefined, type CommandInput } from './command.ts'
import { connectTo } from './sync/connection.ts'

const COMMANDS = ['list', 'add', 'rotate', 'revoke'] as const

const SIGNING_KEYS = '/auth/v1/admin/signing-keys'

/** Characters of a key that is not shown: enough to tell one from another. */
const SHOWN_CHARS = 18

interface SigningKey {
  readonly kid: string
  readonly algorithm: string
  readonly status: string
  readonly created_at: string
}

/**
 * `holdfast keys [list|add|rotate|revoke]`: the API keys, and the keys that sign sessions, of a running server.
 *
 * @param isTerminal - whether a person sees what is written
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid`, `command_unknown`, `server_unreachable`, and what the server refuses
 */
export async function keys(input: CommandInput, isTerminal = process.stdout.isTTY): Promise<number> {
  const { words, options: argv } = separateWords(keysDeclarations, input.argv)
  const [command = 'list', kid] = words
  const { config } = await loadProjectConfig(keysDeclarations, { argv, env: input.env, readFile: readOrUndefined })
  const connection = connectTo(config)
  const ask = async (path = '', init?: Parameters<typeof connection.json>[1]): Promise<readonly SigningKey[]> =>
    (await connection.json<{ readonly keys: readonly SigningKey[] }>(`${SIGNING_KEYS}${path}`, init)).keys
  switch (command) {
    case 'list':
      requireTerminal(config, isTerminal)
      return list(await ask(), config, input)
    case 'add':
      return told(await ask('', { method: 'POST', body: { algorithm: config.algorithm } }), config, input)
    case 'rotate':
      return told(
        await ask('/rotate', { method: 'POST', body: { at_once: config.atOnce, ...(kid !== undefined && { kid }) } }),
        config,
        input,
      )
    case 'revoke':
      if (kid === undefined)
        throw invalid('Which key?', 'Write "holdfast keys revoke KID"; "holdfast keys" lists them.')
      return told(await ask(`/${encodeURIComponent(kid)}`, { method: 'DELETE' }), config, input)
    default:
      throw unknownCommand(command)
  }
}

/** Logs of a build are read by many: whole keys go to a terminal, or to a program that says so. */
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

/** As a server of the data folder has noted them; none where it is another machine's. */
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

function unknownCommand(command: string): HoldfastError {
  const meant = nearest(command, COMMANDS)
  return new HoldfastError('command_unknown', 500, `"keys ${command}" is not a command.`, {
    hint: meant ? `Did you mean "holdfast keys ${meant}"?` : 'There are "keys", "keys add", "rotate" and "revoke".',
  })
}
