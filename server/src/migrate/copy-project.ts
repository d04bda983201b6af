import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseDotenv, type OptionValues } from '@holdfast/foundation'
import { functionsOptions, projectFilesOf } from '@holdfast/functions'
import type { ExportReport } from './report.ts'
import { UPLOAD_FILES } from './script-parts.ts'

/** Parts of a project outside its database. */
export interface CopiedProject {
  readonly functions: readonly string[]
  readonly secrets: readonly string[]
  readonly hasConfig: boolean
}

type Options = OptionValues<typeof functionsOptions>

/** Returns the names of a project's parts outside its database. */
export function findProject(options: Options): CopiedProject {
  const { directory, configFile, envFile } = projectFilesOf(options)
  return {
    functions: existsSync(directory)
      ? readdirSync(directory, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
          .map(({ name }) => name)
      : [],
    secrets: existsSync(envFile) ? Object.keys(parseDotenv(readFileSync(envFile, 'utf8'))) : [],
    hasConfig: existsSync(configFile),
  }
}

/** Copies functions, `config.toml`, migrations and secrets in the layout of a project folder. */
export function copyProject(options: Options, folder: string): CopiedProject {
  const found = findProject(options)
  const { directory, configFile, envFile } = projectFilesOf(options)
  const to = join(folder, 'supabase')
  const isEnv = (path: string): boolean => resolve(path) === resolve(envFile)
  if (found.functions.length > 0)
    cpSync(directory, join(to, 'functions'), {
      recursive: true,
      filter: (path) => !isEnv(path) && basename(path) !== 'node_modules',
    })
  if (found.hasConfig) cpSync(configFile, join(to, 'config.toml'))
  const migrations = join(dirname(configFile), 'migrations')
  if (found.hasConfig && existsSync(migrations)) cpSync(migrations, join(to, 'migrations'), { recursive: true })
  if (found.secrets.length > 0)
    writeFileSync(join(folder, 'functions.env'), readFileSync(envFile, 'utf8'), { mode: 0o600 })
  return found
}

/** Writes a README for users who have only this folder, and the script that uploads files. */
export function writeReadme(folder: string, report: ExportReport, project: CopiedProject): void {
  const hasFiles = report.files.copied > 0
  if (hasFiles) writeFileSync(join(folder, 'upload-files.mjs'), UPLOAD_FILES, { mode: 0o600 })
  const { functions, secrets } = project
  const steps = [
    `Make a new project of Supabase, hosted or your own, and load the database into it. Take the address of the direct
   connection or of the session pooler, as the role \`postgres\`; \`psql\` of version 15 or newer:

   \`\`\`sh
   export TARGET='postgres://postgres:password@db.example.supabase.co:5432/postgres'
   psql "$TARGET" -f load.sql
   \`\`\`

   All of it is one transaction. A line with \`ERROR\` names a definition that the server refused; it is left out, and
   the rest goes on. Rows go in whole: if one is refused, nothing is loaded. A database that has a project in it is
   refused; \`-v into_existing=1\` loads all the same.`,
    ...(hasFiles
      ? [
          `Send the files, then put back whose they are and when they came (Node 20 or newer):

   \`\`\`sh
   export STORAGE_URL='https://example.supabase.co' SERVICE_KEY='…'   # the service_role key
   node upload-files.mjs
   psql "$TARGET" -f after-files.sql
   \`\`\`

   Run it again after a break: it goes on with those that are missing. \`files.ndjson\` says which file is which.`,
        ]
      : []),
    ...(functions.length > 0
      ? [`Deploy the functions of \`supabase/functions\`: ${functions.join(', ')} (\`supabase functions deploy\`).`]
      : []),
    ...(secrets.length > 0 ? [`Set the secrets of functions: \`supabase secrets set --env-file functions.env\`.`] : []),
    `Set what no database has: providers, mails, addresses to redirect to, hooks${project.hasConfig ? ' (`supabase/config.toml` has them)' : ''}.`,
    `People sign in with the passwords and second factors that they have. Their devices go on with their refresh tokens.
   Access tokens and API keys are of the new project: give the apps its address and keys.`,
  ]
  const text = `# A project, out of Holdfast

Keep this folder safe: it has hashes of passwords, refresh tokens, and secrets.

${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}

## What is here

| | |
|---|---|
| \`load.sql\` | runs the scripts below, in their order |
| \`roles.sql\`, \`schema.sql\` | the project's own roles, schemas, extensions, tables, functions, grants |
| \`data.sql\`, \`data/\` | rows, a file for each table, as \`COPY\` writes them: also \`auth\` and \`storage\`, in the columns of Supabase |
| \`constraints-and-policies.sql\` | indexes, constraints, triggers, row security, policies |
| \`accounts-and-files.sql\` | what the project has on \`auth.users\` and \`storage.objects\`; publications, jobs, secrets of the vault |
| \`files/\`, \`files.ndjson\` | bytes of stored files |
| \`supabase/\` | functions, \`config.toml\` and migrations |
| \`holdfast/\` | what only Holdfast has, as CSV: nothing loads it |

${report.tables} tables, ${report.rows} rows, ${report.functions} functions, ${report.policies} policies, ${report.files.copied} files.

## What is left out, or to be done by hand

${report.leftOut.length === 0 ? 'Nothing.' : report.leftOut.map(({ what, why }) => `* ${what.replaceAll(/\s+/g, ' ')}: ${why.replaceAll(/\s+/g, ' ')}`).join('\n')}
`
  writeFileSync(join(folder, 'README.md'), text, { mode: 0o600 })
}
