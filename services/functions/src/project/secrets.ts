import { readFileSync } from 'node:fs'
import { parseDotenv, type Logger } from '@holdfast/foundation'

const REFERENCE = /^env\((\w+)\)$/

/**
 * The secrets of the project: those of `config.toml`, then those of the file, which win. Names that begin with `SUPABASE_` are ours and are refused.
 *
 * @param configured - of `config.toml`; `env(NAME)` names a variable of the server or of the project's dotenv files, the only way in which a function gets one
 * @param path - a file as of dotenv; it need not exist
 * @param find - finds such a variable
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
    if (found === undefined) logger.log('warn', `the secret ${name} of functions names ${reference}, which is not set`)
    else secrets[name] = found
  }
  Object.assign(secrets, readEnvFile(path))
  for (const name of Object.keys(secrets).filter((name) => name.startsWith('SUPABASE_'))) {
    logger.log('warn', `the secret ${name} of functions is left out: names that begin with SUPABASE_ are reserved`)
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
