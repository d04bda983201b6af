import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { numberOption, textOption } from './arguments.ts'
import { buildCheckout, type Built } from './checkouts.ts'
import { openCountedLoad, type CountedLoad } from './http-load.ts'
import { startProcessorMeter, type ProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { median, percentile } from './report.ts'
import { CASES, CONNECTIONS, restRequest, titleOf } from './rest-requests.ts'
import type { RestCaseName } from './rest-cases.ts'
import type { RestServer } from './rest-server.ts'
import { sized } from './size.ts'

const SERVER = fileURLToPath(new URL('rest-server.ts', import.meta.url))

/** Number of pairs of windows, unless `--pairs` is given. */
const PAIRS = 30
const WARM_REQUESTS = sized(3_000)
const WINDOW_REQUESTS = sized(400)

interface Side extends AsyncDisposable {
  readonly server: RestServer
}

/**
 * Compares the processor time of REST requests on the servers of two commits. Both run at the same time and are asked alternately, some hundred requests
 * each, so that other load on the machine affects both within a second. Prints the median and the quartiles of the ratios of neighbouring windows.
 */
export async function compareCosts([a, b]: readonly string[]): Promise<void> {
  if (a === undefined || b === undefined)
    throw new Error('usage: npm run bench -- costs A B [--only=insert] [--pairs=30]; "." is this checkout')
  const [builtA, builtB] = [buildCheckout(a), buildCheckout(b)]
  await using sideA = await openSide(builtA)
  await using sideB = await openSide(builtB)
  const only = textOption('only') ?? ''
  console.error(`A: ${builtA.name}\nB: ${builtB.name}\n`)
  for (const { name } of CASES)
    for (const connections of CONNECTIONS) {
      const title = titleOf(name, connections)
      if (title.includes(only)) print(title, await measurePairs(sideA.server, sideB.server, name, connections))
    }
}

async function openSide({ serverMain }: Built): Promise<Side> {
  const child = spawn(process.execPath, [SERVER], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HOLDFAST_SERVER_MAIN: serverMain },
  })
  const ended = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const first = await Promise.race([line, ended.then(() => undefined)])
  if (!first) throw new Error(`${serverMain} does not start`)
  return {
    server: JSON.parse(first[0]) as RestServer,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

/** Microseconds per request, in two consecutive windows. */
interface Pair {
  readonly a: ProcessorTime
  readonly b: ProcessorTime
}

async function measurePairs(a: RestServer, b: RestServer, name: RestCaseName, connections: number): Promise<Pair[]> {
  const loadOf = (server: RestServer): Promise<CountedLoad> =>
    openCountedLoad({ url: server.url, connections, next: () => restRequest(server, name) })
  using loadA = await loadOf(a)
  using loadB = await loadOf(b)
  for (const load of [loadA, loadB]) await load.send(WARM_REQUESTS)
  const meterA = await startProcessorMeter({ pid: () => a.pid })
  const meterB = await startProcessorMeter({ pid: () => b.pid })
  const pairs: Pair[] = []
  for (let pair = 0; pair < Math.round(numberOption('pairs', PAIRS)); pair++) {
    const isSwapped = pair % 2 === 1
    const early = isSwapped ? await measureWindow(loadB, meterB) : await measureWindow(loadA, meterA)
    const late = isSwapped ? await measureWindow(loadA, meterA) : await measureWindow(loadB, meterB)
    if (early && late) pairs.push(isSwapped ? { a: late, b: early } : { a: early, b: late })
  }
  return pairs
}

async function measureWindow(load: CountedLoad, meter: ProcessorMeter): Promise<ProcessorTime | undefined> {
  await meter.take()
  await load.send(WINDOW_REQUESTS)
  const used = await meter.take()
  const each = (ms: number): number => (ms * 1_000) / WINDOW_REQUESTS
  return used && { node: each(used.node), postgres: each(used.postgres) }
}

function print(title: string, pairs: readonly Pair[]): void {
  for (const part of ['node', 'postgres'] as const) {
    const ratios = pairs.map(({ a, b }) => b[part] / a[part])
    const name = `${title}: processor time of ${part === 'node' ? 'Node' : 'Postgres'} per request`
    const [a, b] = [median(pairs.map((pair) => pair.a[part])), median(pairs.map((pair) => pair.b[part]))]
    const [low, middle, high] = [percentile(ratios, 0.25), median(ratios), percentile(ratios, 0.75)]
    console.log(JSON.stringify({ name, unit: 'µs', a, b, ratio: middle, low, high }))
    const quartiles = `${low.toFixed(2)} – ${high.toFixed(2)}`
    console.error(`${name.padEnd(88)} ${a.toFixed(0)} ${b.toFixed(0)} µs   B / A ${middle.toFixed(2)} (${quartiles})`)
  }
}
