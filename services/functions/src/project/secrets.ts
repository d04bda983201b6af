import { readFileSync } from 'node:fs'
import { parseDotenv, type Logger } from '@holdfast/foundation'

const REFERENCE = /^env\((\w+)\)$/

/**
 * Reads the project's secrets from `config.toml` and from the secrets file, which has precedence. Names starting with `SUPABASE_` are reserved and refused.
 *
 * @param configured - from `config.toml`; `env(NAME)` references a variable of the server or the project's dotenv files, the only way to pass one to a function
 * @param path - dotenv file; optional
 * @param find - looks up such a variable
 */
export function readSecrets(
  configured: Readonly<Record<string, string>>,
  path: string,
  find: (name: string) => string | undefined,
  logger: Logger,
): Readonly<Record<string, string>> {
  const secrets: Record<string, string> = {}
  for (const [name, value] of Object.entries(configured)) {
    const reference = REFERENCE.exec(value)?.[1]
    const found = reference === undefined ? value : find(reference)
    if (found === undefined) logger.log('warn', `the function secret ${name} references ${reference}, which is not set`)
    else secrets[name] = found
  }
  Object.assign(secrets, readEnvFile(path))
  for (const name of Object.keys(secrets).filter((name) => name.startsWith('SUPABASE_'))) {
    logger.log('warn', `the function secret ${name} is ignored: names that begin with SUPABASE_ are reserved`)
    delete secrets[name]
  }
  return secrets
}

function readEnvFile(path: string): Readonly<Record<string, string>> {
  try {
    return parseDotenv(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
