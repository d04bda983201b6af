import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDotenv } from '@holdfast/foundation'

/**
 * Finds variables where the ecosystem's CLI looks for them: in the environment, then in the dotenv files of the folder of `config.toml` and of the one above.
 *
 * @param configFile - the path of `config.toml`
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

/** Where its dotenv files may be, the nearest first. */
export function variableFoldersOf(configFile: string): readonly string[] {
  const folder = dirname(configFile)
  return [folder, dirname(folder)]
}

/** A file that cannot be read has no variables: those that are missing are named. */
function readVariables(path: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseDotenv(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
