import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { HoldfastError, parseDotenv } from '@holdfast/foundation'
import { functionsOptions, projectFilesOf } from '@holdfast/functions'
import { nearest } from '../../config/names.ts'
import { secretsDeclarations, type SecretsConfig } from '../../config/options.ts'
import { optionsOf } from '../../parts/service-options.ts'
import { readOrUndefined, readSettings, type CommandInput } from '../command.ts'
import { editEnv } from './env-file.ts'

const NAME = /^[A-Za-z_]\w*$/

/** Reserved as on Supabase, for the project's location. */
const RESERVED = /^SUPABASE_/

/**
 * `holdfast secrets set NAME=value …`: writes function secrets to the server's file. A running server picks them up immediately.
 *
 * @param readInput - stdin, for a name without value
 * @returns the exit code
 * @throws {HoldfastError} `secret_invalid`, `secrets_file_invalid`
 */
export function setSecrets(input: CommandInput, readInput = () => readFileSync(0, 'utf8')): number {
  const { config, file, before } = open(input)
  return change(valuesOf(input.words, config, readInput), { config, file, before, input, verb: 'set' })
}

/** `holdfast secrets unset NAME …`: removes function secrets. */
export function unsetSecrets(input: CommandInput): number {
  const { config, file, before } = open(input)
  return change(namesOf(input.words, before), { config, file, before, input, verb: 'unset' })
}

/** `holdfast secrets list`: lists function secrets with digests of their values. */
export function listSecrets(input: CommandInput): number {
  const { config, before } = open(input)
  return list(parseDotenv(before), config, input)
}

interface SecretsFile {
  readonly config: SecretsConfig
  readonly file: string
  readonly before: string
}

function open(input: CommandInput): SecretsFile {
  const config = readSettings(secretsDeclarations, input)
  const file = projectFilesOf(optionsOf(config, functionsOptions)).envFile
  return { config, file, before: readOrUndefined(file) ?? '' }
}

function change(
  changes: ReadonlyMap<string, string | undefined>,
  { config, file, before, input, verb }: SecretsFile & { readonly input: CommandInput; readonly verb: 'set' | 'unset' },
): number {
  if (changes.size === 0) throw invalid('There is nothing to change.', 'Write "holdfast secrets set NAME=value".')
  write(file, editEnv(before, changes))
  const names = [...changes.keys()]
  const shown = relative(process.cwd(), file) || file
  if (config.json) input.out(`${JSON.stringify({ [verb]: names, file })}\n`)
  else
    input.out(
      `${verb === 'set' ? 'Set' : 'Removed'} ${names.join(', ')} in ${shown}. Keep it out of version control.\n`,
    )
  return 0
}

/** Lists names and digests, as Supabase's CLI does, so values can be compared without revealing them. */
function list(values: Readonly<Record<string, string>>, { json }: SecretsConfig, { out }: CommandInput): number {
  const rows = Object.entries(values)
    .map(([name, value]) => ({ name, digest: createHash('sha256').update(value).digest('hex') }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const width = Math.max(0, ...rows.map(({ name }) => name.length))
  if (json) out(`${JSON.stringify(rows)}\n`)
  else if (rows.length === 0) out('There are no secrets.\n')
  else out(rows.map(({ name, digest }) => `${name.padEnd(width)}  ${digest}\n`).join(''))
  return 0
}

function valuesOf(
  given: readonly string[],
  { envFile }: SecretsConfig,
  readInput: () => string,
): ReadonlyMap<string, string> {
  const values = new Map(envFile === undefined ? [] : Object.entries(readEnv(envFile)))
  const withoutValue = given.filter((argument) => !argument.includes('='))
  if (withoutValue.length > 1) throw invalid('Standard input has the value of one secret.', 'Give one name at a time.')
  for (const argument of given) {
    const equals = argument.indexOf('=')
    if (equals < 0) values.set(argument, readInput().replace(/\r?\n$/, ''))
    else values.set(argument.slice(0, equals), argument.slice(equals + 1))
  }
  for (const name of values.keys()) {
    if (!NAME.test(name)) throw invalid(`"${name}" cannot be the name of a secret.`, 'Use letters, digits and _.')
    if (RESERVED.test(name))
      throw invalid(`${name} is reserved: SUPABASE_… are set by the server.`, 'Choose another name.')
  }
  return values
}

function readEnv(path: string): Readonly<Record<string, string>> {
  const text = readOrUndefined(path)
  if (text === undefined) throw invalid(`${path} does not exist.`, 'Check --env-file.')
  return parseDotenv(text)
}

function namesOf(given: readonly string[], before: string): ReadonlyMap<string, undefined> {
  const known = Object.keys(parseDotenv(before))
  for (const name of given) {
    if (known.includes(name)) continue
    const meant = nearest(name, known)
    throw invalid(
      `There is no secret ${name}.`,
      meant ? `Did you mean ${meant}?` : '"holdfast secrets list" names them.',
    )
  }
  return new Map(given.map((name) => [name, undefined]))
}

/** Writes atomically, readable only by the owner. Preserves a symbolic link. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const path = realOf(file)
  // A name that servers do not treat as a project change.
  writeFileSync(`${path}.tmp`, text, { mode: 0o600, flush: true })
  renameSync(`${path}.tmp`, path)
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file // does not exist yet
  }
}

function invalid(message: string, hint: string): HoldfastError {
  return new HoldfastError('secret_invalid', 500, message, { hint })
}
