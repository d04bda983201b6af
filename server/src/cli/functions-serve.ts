import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { FUNCTION_NAME } from '@holdfast/functions'
import { readLockHolder } from '@holdfast/postgres'
import { loadConfig } from '../config/load-config.ts'
import { options } from '../config/options.ts'
import { readOrUndefined, type CommandInput } from './command.ts'
import { logsOf } from './functions-logs.ts'

/** What users of Supabase's command line type, and what we call it. */
const SAME_AS: Readonly<Record<string, string>> = {
  '--env-file': '--functions-env-file',
  '--import-map': '--functions-import-map',
  '--no-verify-jwt': '--no-functions-verify-jwt',
  '--inspect-mode': '--functions-inspect-mode',
  '--inspect-port': '--functions-inspect-port',
}

const INSPECT_MODES = ['run', 'brk', 'wait']

/**
 * `holdfast functions serve`: the server with its functions, whose lines are shown. When the server runs already, it serves them, and only the lines are shown.
 *
 * @throws {HoldfastError} `functions_served_already` when the running server would have to do it otherwise
 */
export async function serveFunctions(input: CommandInput): Promise<number> {
  // `supabase functions serve NAME` serves all of them as well.
  const [first, ...rest] = input.argv
  const named = first === undefined || first.startsWith('-') ? input.argv : rest
  if (named.includes('--inspect')) throw inspectNeedsName()
  const argv = named.map(translate)
  const config = loadConfig(options, { argv, env: input.env, readFile: readOrUndefined })
  const holder = readLockHolder(resolve(config.dataDir))
  if (holder === undefined) return await startShowingLines({ ...input, argv })
  const demands = argv.filter((argument) => /^--(?:no-)?functions-/.test(argument))
  if (demands.length > 0) throw servedAlready(holder, demands)
  const passed = argv.filter((argument) => argument !== '--json')
  input.err(
    `\n  The server that runs here (process ${holder}) serves the functions, and sees every change of a file.\n\n`,
  )
  return await logsOf({ ...input, argv: ['--follow', ...passed] })
}

/**
 * `holdfast functions inspect NAME`: the server, with the inspector of V8 in the process of one function.
 *
 * @throws {HoldfastError} `function_name_invalid`, `option_invalid`, `functions_served_already`
 */
export async function inspectFunction(input: CommandInput): Promise<number> {
  const [name = '', ...rest] = input.argv
  if (!FUNCTION_NAME.test(name)) throw inspectNeedsName()
  const argv = [...rest.map(translate), `--functions-inspect=${name}`]
  const config = loadConfig(options, { argv, env: input.env, readFile: readOrUndefined })
  if (!INSPECT_MODES.includes(config.functionsInspectMode)) {
    throw new HoldfastError(
      'option_invalid',
      500,
      `"${config.functionsInspectMode}" is no way to inspect a function.`,
      {
        hint: `Write --inspect-mode=${INSPECT_MODES.join(', ')}.`,
      },
    )
  }
  const holder = readLockHolder(resolve(config.dataDir))
  if (holder !== undefined) throw servedAlready(holder, argv)
  return await startShowingLines({ ...input, argv })
}

function translate(argument: string): string {
  const equals = argument.indexOf('=')
  const flag = equals < 0 ? argument : argument.slice(0, equals)
  return `${SAME_AS[flag] ?? flag}${equals < 0 ? '' : argument.slice(equals)}`
}

async function startShowingLines(input: CommandInput): Promise<number> {
  const { start } = await import('./start.ts')
  // What functions print is logged as `info`; whoever wants another level says so.
  const isSaid = input.argv.some((one) => one.startsWith('--log-level')) || input.env['HOLDFAST_LOG_LEVEL']
  return await start({ ...input, argv: isSaid ? input.argv : [...input.argv, '--log-level=info'] })
}

function inspectNeedsName(): HoldfastError {
  return new HoldfastError('function_name_invalid', 500, 'Which function is to be inspected?', {
    hint: 'Write "holdfast functions inspect my-function".',
  })
}

function servedAlready(pid: number, demands: readonly string[]): HoldfastError {
  return new HoldfastError('functions_served_already', 500, `A server runs on this data folder (process ${pid}).`, {
    detail: `It serves the functions without ${demands.join(' ')}.`,
    hint: 'Stop it first, or leave these options out: "holdfast functions serve" then shows what functions print.',
  })
}
