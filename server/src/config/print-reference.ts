import type { OptionDeclaration } from '@holdfast/foundation'
import { flagName, variableName } from './names.ts'
import { optionGroups } from './options.ts'

/** The help text of the command line. */
export function printHelp(): string {
  const groups = optionGroups.map(({ title, options }) => {
    const lines = Object.entries(options).map(([name, declaration]) => {
      // Secrets do not belong on a command line, which every user of the machine can read.
      const flag = declaration.secret
        ? `  ${variableName(name, declaration)}`
        : `  ${flagName(name)}${valueHint(declaration)}`
      const fallback = defaultText(declaration)
      const text = `${declaration.description}${fallback === '' ? '' : ` (${fallback})`}`
      return `${flag.length > 38 ? `${flag}\n${' '.repeat(39)}` : flag.padEnd(39)}${wrap(text, 39)}`
    })
    return `${title}\n${lines.join('\n')}`
  })
  return [
    'Usage: holdfast <command> [options]',
    '',
    'Commands',
    '  init             Makes the folder of a project: supabase/config.toml, migrations, seed.sql',
    '  start            Starts the app, its APIs and Postgres, until Ctrl-C',
    '  stop             Ends the server of the data folder, as Ctrl-C does, and waits until it has ended',
    '  status           Tells where the server of the data folder is, its keys and versions (--output=json, env)',
    '  doctor           Looks at all that a server of this folder needs, and says what to do; exit code 1 on a problem',
    '  gen types        Writes the TypeScript types of the database (--schema, --lang=powersync: of a device)',
    '  sync status      Tells where sync stands: the tables read, how far behind it is, how large the log is',
    '  sync coverage    Tells of each table and policy whether and how it syncs, and at what cost',
    '  sync check       Names policies and streams that are not followed; exit code 1 when there are any',
    '  sync check <file …>  The same as it would be after these files of SQL (--apply: and applies them if nothing is)',
    '  sync explain     Tells why a user has a row on their devices, or not (--user, --table, --id)',
    '  sync verify      Rebuilds a device of a user and compares it with Postgres (--user)',
    '  functions new <name>  Makes an edge function with the least that it needs',
    '  functions list   Lists the edge functions of the project, and whether they need a token',
    '  functions serve  Starts the server and shows what functions print (--env-file, --import-map, --no-verify-jwt)',
    '  functions inspect <name>  Does so with the inspector of V8 in one function (--inspect-mode=run, brk or wait)',
    '  functions logs [name]  Shows what functions of a running server printed (--follow, --lines, --request-id)',
    '  functions metrics [name]  Tells calls, errors, times and memory of the functions of a running server',
    '  storage verify   Compares stored files with their rows, whether the server runs or not; exit code 1 if they differ',
    '  migration new <name>  Makes an empty migration of the project in supabase/migrations',
    '  migration list   Lists the migrations of the project, and which are applied',
    '  migration up     Applies those that are not, whether the server runs or not (--include-all: older ones, too)',
    '  db reset         Makes the database of the project anew, with migrations and seeds (--version, --no-seed)',
    '  db push          Brings the database of DATABASE_URL up to the migrations (--dry-run, --include-seed)',
    '  seed             Applies the seeds that the database does not have',
    '  backup <folder>  Takes a backup of the database and the data folder, also while the server runs',
    '  restore <folder> Makes a new data folder, or fills an empty database, from a backup',
    '  help             Shows this text; "help --markdown" prints the reference page',
    '  --version        Shows the version',
    '',
    groups.join('\n\n'),
    '',
    'Each option is also an environment variable (--db-port is HOLDFAST_DB_PORT) and a key of',
    'holdfast.config.json ("dbPort"). The command line wins, then the environment, then the file.',
    '',
  ].join('\n')
}

/** `docs/reference/options.md`. A test compares the file with this. */
export function printReference(): string {
  const groups = optionGroups.map(({ title, options }) => {
    const rows = Object.entries(options).map(([name, declaration]) =>
      [
        `\`${name}\``,
        `\`${flagName(name)}\``,
        `\`${variableName(name, declaration)}\``,
        typeText(declaration),
        declaration.default === undefined ? '–' : `\`${valueText(declaration.default)}\``,
        declaration.description.replaceAll('|', '\\|'),
      ].join(' | '),
    )
    return `## ${title}\n\n| in the config file | on the command line | in the environment | values | default | meaning |\n| --- | --- | --- | --- | --- | --- |\n${rows.map((row) => `| ${row} |`).join('\n')}\n`
  })
  return `# Options

Every setting, from the same declarations that the parser uses. Printed by \`holdfast help --markdown\`.

The command line wins over the environment, the environment over the config file (\`holdfast.config.json\` in the folder where Holdfast is
started), the file over the default. A switch is turned on by its name alone and off by \`--no-\` before it; a list is separated by commas.

${groups.join('\n')}`
}

function valueHint(declaration: OptionDeclaration): string {
  if (declaration.type === 'boolean') return ''
  return { integer: ' <number>', string: ' <text>', list: ' <a,b>', object: ' <json>' }[declaration.type]
}

function defaultText(declaration: OptionDeclaration): string {
  if (declaration.default === undefined || declaration.default === false) return ''
  return `default: ${declaration.default === true ? 'on' : valueText(declaration.default)}`
}

function typeText(declaration: OptionDeclaration): string {
  if (declaration.type === 'integer') return `${declaration.min} – ${declaration.max}`
  return { boolean: 'switch', string: 'text', list: 'list', object: 'JSON' }[declaration.type]
}

function valueText(value: OptionDeclaration['default']): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function wrap(text: string, indent: number): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 76) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
