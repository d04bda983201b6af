import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDeno } from '@holdfast/functions'
import { openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'
import { measureLoad, openCountedLoad, type Load, type LoadRequest } from './http-load.ts'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { median, type Figure } from './report.ts'
import { sized, sizedSeconds } from './size.ts'
import { startPlain } from './start-plain.ts'

const FUNCTIONS = sized(10)
const ROUNDS = sized(3)
const SECONDS = sizedSeconds(2)
const CONNECTIONS = [1, 16]
/** Requests per window in which processor time is measured. */
const COUNTED = sized(2_000)
const WINDOWS = sized(6)

/** A minimal function as a TypeScript file. */
const SOURCE = `Deno.serve((): Response => Response.json({ hello: 'world' }))`

/**
 * Measures the first request of a function, requests to a running one, and the memory of idle ones, beside the same code in a separate Deno process behind a
 * Unix socket, as our functions are.
 */
export async function benchFunctions(): Promise<Figure[]> {
  const names = Array.from({ length: FUNCTIONS }, (_, index) => `f${index}`)
  const files = Object.fromEntries(names.map((name) => [`functions/${name}/index.ts`, SOURCE]))
  const config = `[functions.f0]\nverify_jwt = false\n`
  await using world = await openFunctionsWorld({ ...files, 'config.toml': config }, ['--log-level=warn'])
  const starts: number[] = []
  const plainStarts: number[] = []
  for (const name of names) {
    await using plain = await startPlainDeno()
    plainStarts.push(plain.startMs)
    starts.push(await timeOfFirst(world, name))
    // The spare process for the next function is started after an answer.
    await waitForSpare(world)
  }
  return [
    {
      name: 'functions, first request of a function',
      value: median(starts),
      unit: 'ms',
      reference: { name: 'a Deno started for it', value: median(plainStarts) },
    },
    ...memoryOf(world),
    ...(await benchWarm(world)),
  ]
}

interface PlainDeno extends AsyncDisposable {
  readonly socket: string
  /** Milliseconds from starting the process to its first answer. */
  readonly startMs: number
}

async function startPlainDeno(): Promise<PlainDeno> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-plain-deno-'))
  const socket = join(folder, 's')
  const file = join(folder, 'main.ts')
  writeFileSync(file, SOURCE)
  const began = performance.now()
  const child = spawn(findDeno(undefined), ['run', '--quiet', '--no-config', '--no-lock', '-A', file], {
    env: { DENO_SERVE_ADDRESS: `unix:${socket}`, DENO_DIR: join(folder, 'cache'), HOME: folder, PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (child.exitCode === null && !(await answers(socket))) await new Promise((resolve) => setTimeout(resolve, 2))
  return {
    socket,
    startMs: performance.now() - began,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: '/', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
      .once('error', () => resolve(false))
      .end()
  })
}

async function timeOfFirst(world: FunctionsWorld, name: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(world.url(name), { headers: { authorization: `Bearer ${world.holdfast.anonKey}` } })
  if ((await answer.text()) !== '{"hello":"world"}') throw new Error(`${name} answered ${answer.status}`)
  return performance.now() - began
}

/** The processes of functions, recognised by the paths in their command lines. */
function processesOf({ folder }: FunctionsWorld): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return command.includes(folder) && command.includes('bootstrap.js')
    } catch {
      return false // not a process, or one that has ended
    }
  })
}

/** Waits up to five seconds for the new spare process; without it, the next function would start without one. */
async function waitForSpare(world: FunctionsWorld): Promise<void> {
  const before = processesOf(world).length
  const deadline = performance.now() + 5_000
  while (processesOf(world).length <= before && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20))
  // Its start-up must be finished too, which cannot be observed from outside.
  await new Promise((resolve) => setTimeout(resolve, 300))
}

/** Shared memory is divided among the processes that share it (PSS). */
function memoryOf(world: FunctionsWorld): Figure[] {
  const sizes = processesOf(world).map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return (Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? Number.NaN) * 1_024) / 1e6
  })
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return [
    { name: `functions, memory of each of ${sizes.length} idle processes`, value: total / sizes.length, unit: 'MB' },
  ]
}

async function benchWarm(world: FunctionsWorld): Promise<Figure[]> {
  await using plain = await startPlainDeno()
  await using proxy = await startPlain(new URL('plain-proxy.ts', import.meta.url), plain.socket)
  const { anonKey, url } = world.holdfast
  const ask = (path: string, headers: Readonly<Record<string, string>>) => (): LoadRequest => ({
    method: 'GET',
    path,
    headers,
  })
  const cases = [
    { name: 'without a token', next: ask('/functions/v1/f0', {}) },
    ...(FUNCTIONS > 1
      ? [{ name: 'with a token', next: ask('/functions/v1/f1', { authorization: `Bearer ${anonKey}` }) }]
      : []),
  ]
  const references = [
    { name: 'Deno behind a Unix socket', url: `unix:${plain.socket}` },
    { name: 'the same behind a bare Node proxy', url: proxy.url },
  ]
  const figures: Figure[] = []
  for (const connections of CONNECTIONS) {
    for (const { name, next } of cases) {
      const ours: Load[] = []
      const theirs = references.map((reference) => ({ ...reference, loads: [] as Load[] }))
      for (let round = 0; round < ROUNDS; round++) {
        for (const other of theirs)
          other.loads.push(await measureLoad({ url: other.url, next: ask('/f0', {}), connections, seconds: SECONDS }))
        ours.push(await measureLoad({ url, next, connections, seconds: SECONDS }))
      }
      const rateOf = (loads: readonly Load[]): number => median(loads.map(({ rate }) => rate))
      for (const other of theirs) {
        figures.push({
          name: `functions, ${name}, ${connections} connection${connections === 1 ? '' : 's'}`,
          value: rateOf(ours),
          unit: '/s',
          reference: { name: other.name, value: rateOf(other.loads) },
        })
      }
    }
  }
  return [...figures, ...(await benchProcessor(world, cases[0]?.next ?? ask('/functions/v1/f0', {})))]
}

async function benchProcessor(world: FunctionsWorld, next: () => LoadRequest): Promise<Figure[]> {
  using load = await openCountedLoad({ url: world.holdfast.url, connections: 16, next })
  await load.send(COUNTED)
  const meter = await startProcessorMeter(world.holdfast)
  const windows: (ProcessorTime | undefined)[] = []
  for (let window = 0; window < WINDOWS; window++) {
    await load.send(COUNTED)
    windows.push(await meter.take())
  }
  return processorFigures('functions, 16 connections', 'request', COUNTED, windows).filter(({ name }) =>
    name.includes('Node'),
  )
}
