import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { isTable } from './leaves.ts'

const REFERENCE = /^env\((\w+)\)$/

/** Takes the place of `env(NAME)` where the variable is not set. */
export class UnsetVariable {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Replaces `env(NAME)` in all values, at any depth. */
export function insertVariables(value: unknown, find: (name: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    const name = REFERENCE.exec(value.trim())?.[1]
    return name === undefined ? value : (find(name) ?? new UnsetVariable(name))
  }
  if (Array.isArray(value)) return value.map((one) => insertVariables(one, find))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, insertVariables(one, find)]))
}

/**
 * Finds variables where the ecosystem's CLI looks for them: in the environment, then in the dotenv files of the folder of `config.toml` and of the one above.
 *
 * @param configFile - the path of `config.toml`
 */
export function variablesOf(
  configFile: string,
  env: Readonly<Record<string, string | undefined>>,
): (name: string) => string | undefined {
  const folder = dirname(configFile)
  const stage = env['SUPABASE_ENV'] ?? 'development'
  let files: readonly Readonly<Record<string, string | undefined>>[] | undefined
  return (name) => {
    if (env[name] !== undefined) return env[name]
    files ??= [folder, dirname(folder)].flatMap((place) =>
      [`.env.${stage}.local`, '.env.local', `.env.${stage}`, '.env'].map((file) => readVariables(join(place, file))),
    )
    return files.find((one) => one[name] !== undefined)?.[name]
  }
}

/** A file that cannot be read has no variables: those that are missing are named. */
function readVariables(path: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')) // else it would belong to the first name
  } catch {
    return {}
  }
}
