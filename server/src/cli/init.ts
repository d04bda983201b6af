import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { prepareDataFolder } from '@holdfast/postgres'
import { options } from '../config/options.ts'
import { readSettings, type CommandInput } from './command.ts'

/**
 * `holdfast init`: creates a project folder and the data folder, which git ignores. Keeps existing files.
 *
 * @returns the exit code
 * @throws {HoldfastError} `project_exists`, `data_folder_unusable`
 */
export function init(input: CommandInput): number {
  const config = readSettings(options, input)
  const configFile = resolve(config.functionsConfig)
  if (existsSync(configFile)) {
    throw new HoldfastError('project_exists', 500, `${config.functionsConfig} exists already.`, {
      hint: '"holdfast start" uses it as it is.',
    })
  }
  const folder = dirname(configFile)
  const seed = join(folder, 'seed.sql')
  mkdirSync(folder, { recursive: true })
  mkdirSync(resolve(config.migrationsDir), { recursive: true })
  writeFileSync(configFile, configOf(basename(dirname(folder))), { flag: 'wx' })
  if (!existsSync(seed)) writeFileSync(seed, SEED)
  prepareDataFolder(config.dataDir)
  const ignore = join(dirname(folder), '.dockerignore')
  if (!existsSync(ignore)) writeFileSync(ignore, DOCKERIGNORE)
  const shown = relative(process.cwd(), folder) || '.'
  input.out(
    config.json
      ? `${JSON.stringify({ created: folder })}\n`
      : `Created ${shown}. "holdfast migration new NAME" makes a migration, "holdfast start" applies it.\nThe database and its secrets go into ${config.dataDir}, which git and container builds ignore.\n`,
  )
  return 0
}

/** Podman also reads this file. */
const DOCKERIGNORE = `# The database, its secrets and those of functions are not for images.
.git
**/.holdfast*
**/.env
**/.env.*
**/node_modules
`

const SEED = `-- Rows for development. Applied once, after the migrations, on the packaged Postgres when only this machine is served.
`

/** Renders a name as a TOML basic string, equivalent to JSON. */
function configOf(name: string): string {
  return `# Names and meaning as in Supabase's config.toml. Command line and environment win over this file.
project_id = ${JSON.stringify(name)}

[db.migrations]
enabled = true

[db.seed]
enabled = true
# Relative to this file; may be globs.
sql_paths = ["./seed.sql"]

[edge_runtime]
enabled = true

# [functions.hello]
# verify_jwt = true

# [storage.buckets.avatars]
# public = true
# allowed_mime_types = ["image/*"]
# objects_path = "./avatars"
`
}
