import { delay, HoldfastError } from '@holdfast/foundation'
import type { FunctionMetrics, KeptLine, LogPage } from '@holdfast/functions'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { functionsCommandDeclarations } from '../config/options.ts'
import { sourcesOf, type CommandInput } from './command.ts'
import { connectTo, type Connection } from './sync/connection.ts'

/** Long-poll timeout in ms; the server allows slightly more. */
const WAIT_MS = 20_000

/** Retry delay in ms for a lost server. */
const AGAIN_MS = 1_000

/**
 * `holdfast functions logs [NAME]`: prints the output of functions and their process events.
 *
 * @returns the exit code; with `--follow` only when interrupted
 */
export async function logsOf(input: CommandInput): Promise<number> {
  const { name, config } = await readConfig(input)
  const connection = connectTo(config)
  const print = ({ lines }: LogPage): void => {
    for (const line of lines) input.out(config.json ? `${JSON.stringify(line)}\n` : render(line, name))
  }
  const query = { function: name, request_id: config.requestId }
  const first = await connection.json<LogPage>(addressOf({ ...query, limit: config.lines }))
  print(first)
  let { cursor } = first
  while (config.follow) {
    const page = await next(connection, { ...query, after: cursor, limit: 10_000, wait_ms: WAIT_MS })
    if (!page) continue
    print(page)
    cursor = page.cursor
  }
  return 0
}

/** `holdfast functions metrics`: prints metrics of functions since the server's start. */
export async function metricsOf(input: CommandInput): Promise<number> {
  const { name, config } = await readConfig(input)
  const { functions } = await connectTo(config).json<{ readonly functions: readonly FunctionMetrics[] }>(
    '/functions/v1/_metrics',
  )
  const shown = functions.filter((one) => name === undefined || one.function === name)
  input.out(config.json ? `${JSON.stringify(shown)}\n` : renderMetrics(shown))
  return 0
}

async function readConfig(input: CommandInput) {
  const [name] = input.words
  const { config } = await loadProjectConfig(functionsCommandDeclarations, sourcesOf(input))
  return { name, config }
}

/** @returns `undefined` if the server is unreachable; retried */
async function next(
  connection: Connection,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<LogPage | undefined> {
  try {
    return await connection.json<LogPage>(addressOf(query))
  } catch (error) {
    if (!(error instanceof HoldfastError) || (error.status < 500 && error.status !== 429)) throw error
    await delay(AGAIN_MS)
    return undefined
  }
}

function addressOf(query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return `/functions/v1/_logs?${parameters}`
}

/** Human-readable. Omits the name if only one function was requested. */
function render(
  { at, level, function: name, text, request_id: requestId }: KeptLine,
  only: string | undefined,
): string {
  const parts = [at, level.padEnd(5), ...(only === undefined ? [`${name}:`] : []), text]
  return `${parts.join(' ')}${requestId === null ? '' : `  (${requestId})`}\n`
}

const HEAD = ['function', 'calls', 'errors', 'p50 ms', 'p95 ms', 'starts', 'start ms', 'open', 'MiB']

function renderMetrics(shown: readonly FunctionMetrics[]): string {
  if (shown.length === 0) return '\n  No function was called since the server started.\n\n'
  const rows = shown.map((one) =>
    [
      one.function,
      one.calls,
      one.errors,
      one.p50_ms ?? '–',
      one.p95_ms ?? '–',
      one.cold_starts,
      one.cold_start_p50_ms ?? '–',
      one.open_requests,
      Math.round(one.memory_bytes / 1024 / 1024),
    ].map(String),
  )
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`
}
