import { resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { FUNCTION_NAME } from '@holdfast/functions'
import { readLockHolder } from '@holdfast/postgres'
import { flagName } from '../config/names.ts'
import { options } from '../config/options.ts'
import { readSettings, type CommandInput } from './command.ts'
import { logsOf } from './functions-logs.ts'

const INSPECT_MODES = ['run', 'brk', 'wait']

/**
 * `holdfast functions serve`: serves with functions and shows their output. If a server is already running, only shows output.
 *
 * @throws {HoldfastError} `functions_served_already` if the running server's settings differ
 */
export async function serveFunctions(input: CommandInput): Promise<number> {
  const config = readSettings(options, input)
  const holder = readLockHolder(resolve(config.dataDir))
  if (holder === undefined) return await startShowingLines(input)
  const demands = Object.entries(input.flags).filter(([name]) => name.startsWith('functions'))
  if (demands.length > 0) throw servedAlready(holder, demands)
  input.err(
    `\n  The server that runs here (process ${holder}) serves the functions, and sees every change of a file.\n\n`,
  )
  return await logsOf({ ...input, words: [], flags: { ...input.flags, follow: true, json: false } })
}

/**
 * `holdfast functions inspect NAME`: serves with the V8 inspector in one function's process.
 *
 * @throws {HoldfastError} `function_name_invalid`, `option_invalid`, `functions_served_already`
 */
export async function inspectFunction(input: CommandInput): Promise<number> {
  const [name = ''] = input.words
  if (!FUNCTION_NAME.test(name)) throw inspectNeedsName()
  const flags = { ...input.flags, functionsInspect: name }
  const config = readSettings(options, { ...input, flags })
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
  if (holder !== undefined) throw servedAlready(holder, Object.entries(flags))
  return await startShowingLines({ ...input, flags })
}

async function startShowingLines(input: CommandInput): Promise<number> {
  const { start } = await import('./start.ts')
  // Function output is logged at `info`, unless another level is set.
  const isSaid = 'logLevel' in input.flags || input.env['HOLDFAST_LOG_LEVEL']
  return await start(isSaid ? input : { ...input, flags: { ...input.flags, logLevel: 'info' } })
}

function inspectNeedsName(): HoldfastError {
  return new HoldfastError('function_name_invalid', 500, 'Which function is to be inspected?', {
    hint: 'Write "holdfast functions inspect my-function".',
  })
}

function servedAlready(
  pid: number,
  demands: readonly (readonly [name: string, value: string | boolean])[],
): HoldfastError {
  const flags = demands.map(([name, value]) => (value === false ? `--no-${flagName(name).slice(2)}` : flagName(name)))
  return new HoldfastError('functions_served_already', 500, `A server runs on this data folder (process ${pid}).`, {
    detail: `It serves the functions without ${flags.join(' ')}.`,
    hint: 'Stop it first, or leave these options out: "holdfast functions serve" then shows what functions print.',
  })
}
