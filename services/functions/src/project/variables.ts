import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDotenv } from '@holdfast/foundation'

/**
 * Looks up variables as Supabase's CLI does: in the environment, then in dotenv files beside `config.toml` and in the parent folder.
 *
 * @param configFile - path of `config.toml`
 */
export function variablesOf(
  configFile: string,
  env: Readonly<Record<string, string | undefined>>,
): (name: string) => string | undefined {
  const stage = env['SUPABASE_ENV'] ?? 'development'
  let files: readonly Readonly<Record<string, string | undefined>>[] | undefined
  return (name) => {
    if (env[name] !== undefined) return env[name]
    files ??= variableFoldersOf(configFile).flatMap((place) =>
      [`.env.${stage}.local`, '.env.local', `.env.${stage}`, '.env'].map((file) => readVariables(join(place, file))),
    )
    return files.find((one) => one[name] !== undefined)?.[name]
  }
}

/** Folders of its dotenv files, nearest first. */
export function variableFoldersOf(configFile: string): readonly string[] {
  const folder = dirname(configFile)
  return [folder, dirname(folder)]
}

/** An unreadable file counts as empty; missing variables are reported by name. */
function readVariables(path: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseDotenv(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
