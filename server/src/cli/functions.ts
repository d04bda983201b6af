import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { discoverProject, FUNCTION_NAME, functionsOptions, projectFilesOf } from '@holdfast/functions'
import { loadConfig } from '../config/load-config.ts'
import { nearest } from '../config/names.ts'
import { options, type Config } from '../config/options.ts'
import { optionsOf } from '../parts/service-options.ts'
import { readOrUndefined, type CommandInput } from './command.ts'

const COMMANDS = ['new', 'list', 'serve', 'inspect', 'logs', 'metrics'] as const

/**
 * `holdfast functions …`: makes and lists functions, for which no server need run; serves them; asks a running server what they did.
 *
 * @returns the exit code
 * @throws {HoldfastError} `function_name_invalid`, `function_exists`, `functions_config_invalid`, `functions_served_already`, `command_unknown`
 */
export async function functions(input: CommandInput): Promise<number> {
  const [command, ...rest] = input.argv
  if (command === 'new') return makeFunction(rest, input)
  if (command === 'list') return await listFunctions(rest, input)
  const given = { ...input, argv: rest }
  if (command === 'serve') return await (await import('./functions-serve.ts')).serveFunctions(given)
  if (command === 'inspect') return await (await import('./functions-serve.ts')).inspectFunction(given)
  if (command === 'logs') return await (await import('./functions-logs.ts')).logsOf(given)
  if (command === 'metrics') return await (await import('./functions-logs.ts')).metricsOf(given)
  throw unknownCommand(command)
}

function readConfig(argv: readonly string[], env: CommandInput['env']): Config {
  return loadConfig(options, { argv, env, readFile: readOrUndefined })
}

function makeFunction([name = '', ...argv]: readonly string[], { env, out }: CommandInput): number {
  const { directory } = projectFilesOf(optionsOf(readConfig(argv, env), functionsOptions))
  if (!FUNCTION_NAME.test(name)) {
    throw new HoldfastError('function_name_invalid', 500, `"${name}" cannot be the name of a function.`, {
      hint: 'Write "holdfast functions new my-function": a letter, then letters, digits, - and _.',
    })
  }
  const file = join(directory, name, 'index.ts')
  if (existsSync(dirname(file))) {
    throw new HoldfastError('function_exists', 500, `${dirname(file)} exists already.`, {
      hint: 'Choose another name, or delete the folder first.',
    })
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, templateOf(name))
  out(`\n  ${relative(process.cwd(), file)} is served as /functions/v1/${name}, as soon as Holdfast runs here.\n\n`)
  return 0
}

function templateOf(name: string): string {
  return `// Called with supabase.functions.invoke('${name}', { body: { name: 'Ada' } })

Deno.serve(async (request) => {
  const { name } = await request.json()
  return Response.json({ message: \`Hello \${name}!\` })
})
`
}

async function listFunctions(argv: readonly string[], { env, out }: CommandInput): Promise<number> {
  const config = readConfig(argv, env)
  const files = projectFilesOf(optionsOf(config, functionsOptions))
  const project = await discoverProject(files, env, silentLogger)
  const found = [...project.functions.values()]
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, entry, verifyJwt }) => ({ name, verifyJwt, entry, exists: existsSync(entry) }))
  out(config.json ? `${JSON.stringify(found)}\n` : renderList(found, files.directory))
  return 0
}

interface Listed {
  readonly name: string
  readonly verifyJwt: boolean
  readonly entry: string
  readonly exists: boolean
}

/** For people. */
function renderList(found: readonly Listed[], directory: string): string {
  if (found.length === 0) return `\n  No functions in ${directory}. "holdfast functions new NAME" makes one.\n\n`
  const width = Math.max(...found.map(({ name }) => name.length))
  const lines = found.map(({ name, verifyJwt, entry, exists }) =>
    [
      `  ${name.padEnd(width)}`,
      verifyJwt ? 'needs a token' : 'open         ',
      `${relative(process.cwd(), entry)}${exists ? '' : ' (MISSING)'}`,
    ].join('  '),
  )
  return `\n${lines.join('\n')}\n\n`
}

function unknownCommand(command: string | undefined): HoldfastError {
  const meant = command === undefined ? undefined : nearest(command, COMMANDS)
  return new HoldfastError('command_unknown', 500, `"functions ${command ?? ''}" is not a command.`, {
    hint: meant
      ? `Did you mean "holdfast functions ${meant}"?`
      : `There are ${COMMANDS.map((one) => `"functions ${one}"`).join(', ')}.`,
  })
}
