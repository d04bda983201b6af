import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { HoldfastError, silentLogger } from '@holdfast/foundation'
import { discoverProject, FUNCTION_NAME, functionsOptions, projectFilesOf } from '@holdfast/functions'
import { options } from '../config/options.ts'
import { optionsOf } from '../parts/service-options.ts'
import { readSettings, type CommandInput } from './command.ts'

/**
 * `holdfast functions new NAME`: creates a minimal edge function.
 *
 * @returns the exit code
 * @throws {HoldfastError} `function_name_invalid`, `function_exists`
 */
export function newFunction(input: CommandInput): number {
  const { directory } = projectFilesOf(optionsOf(readSettings(options, input), functionsOptions))
  const { out } = input
  const [name = ''] = input.words
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

/**
 * `holdfast functions list`: lists the project's edge functions and whether they require a token.
 *
 * @returns the exit code
 * @throws {HoldfastError} `functions_config_invalid`
 */
export async function listFunctions(input: CommandInput): Promise<number> {
  const { env, out } = input
  const config = readSettings(options, input)
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

/** Human-readable. */
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
