import type { Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'
import { options, textOption } from './arguments.ts'
import { measureLoad, openCountedLoad, type Load, type LoadRequest } from './http-load.ts'
import { processorFigures, startProcessorMeter, type ProcessorTime } from './processor-time.ts'
import { median, type Figure } from './report.ts'
import { createRestTables, restCase, type RestCaseName } from './rest-cases.ts'
import { CASES, CONNECTIONS, restRequest, titleOf } from './rest-requests.ts'
import { sized, sizedSeconds } from './size.ts'
import { startPlain, type Plain } from './start-plain.ts'

/** All three are measured in each round, so that other load on the machine affects all of them. */
const ROUNDS = sized(3)
const SECONDS = sizedSeconds(1.5)

/** Measures only our server, since `compare` uses only its figures. */
const isAlone = options.includes('--alone')

/** `--only=insert` measures the cases whose name contains the word: `insert of one, 1 connection`. */
const only = textOption('only') ?? ''

/** Requests before the first window, until the code is compiled; the next constant is the number per window. */
const WARM_REQUESTS = sized(2_000)
const WINDOW_REQUESTS = sized(400)
/** Twelve windows from a tenth of the full size on. */
const WINDOWS = Math.min(12, sized(120))

/** The measurements of one of the three. */
interface Measured {
  readonly loads: Load[]
  readonly windows: (ProcessorTime | undefined)[]
}

type OfAll = Readonly<Record<'ours' | 'bare' | 'handler', Measured>>

/** Requests to the REST API, beside the same statement under the same role (a) by the driver alone and (b) in a Fastify handler. */
export async function benchRest(holdfast: Holdfast): Promise<Figure[]> {
  await createRestTables(holdfast.admin)
  await using plain = await startPlain(new URL('plain-rest.ts', import.meta.url), holdfast.databaseUrl)
  const figures: Figure[] = []
  for (const { name, plainPath } of CASES) {
    await requireSameAnswer(holdfast, plain.url, name, plainPath)
    for (const connections of CONNECTIONS) {
      const title = titleOf(name, connections)
      if (title.includes(only)) figures.push(...toFigures(title, await measureCase(holdfast, plain, name, connections)))
    }
  }
  return figures
}

async function measureCase(holdfast: Holdfast, plain: Plain, name: RestCaseName, connections: number): Promise<OfAll> {
  const [ours, bare, handler] = Array.from({ length: 3 }, (): Measured => ({ loads: [], windows: [] }))
  if (!ours || !bare || !handler) throw new Error('there are three')
  const plainPath = CASES.find((known) => known.name === name)?.plainPath ?? ''
  const toUs = { connections, url: holdfast.url, next: () => restRequest(holdfast, name) }
  const toPlain = { connections, url: plain.url, next: () => plainRequest(name, plainPath, Math.random()) }
  const clean = (): Promise<number> => holdfast.admin.execute(sql`truncate public.bench_notes`)
  for (let round = 0; round < ROUNDS; round++) {
    if (!isAlone) bare.loads.push(await measureBare(plain.url, name, connections))
    ours.loads.push(await measureLoad({ ...toUs, seconds: SECONDS }))
    if (!isAlone) handler.loads.push(await measureLoad({ ...toPlain, seconds: SECONDS }))
    await clean()
  }
  using ourLoad = await openCountedLoad(toUs)
  ours.windows.push(...(await meterWindows(holdfast, holdfast, (requests) => ourLoad.send(requests))))
  await clean()
  if (isAlone) return { ours, bare, handler }
  using plainLoad = await openCountedLoad(toPlain)
  const ask = (requests: number): Promise<void> =>
    askBare(plain.url, 'bare-count', { name, connections, requests }).then(() => undefined)
  bare.windows.push(...(await meterWindows(holdfast, plain, ask)))
  await clean()
  handler.windows.push(...(await meterWindows(holdfast, plain, (requests) => plainLoad.send(requests))))
  await clean()
  return { ours, bare, handler }
}

/** @param program - the process whose processor time is counted, in addition to that of the server's Postgres, which all of them use */
async function meterWindows(
  holdfast: Holdfast,
  program: Pick<Holdfast, 'pid'>,
  send: (requests: number) => Promise<void>,
): Promise<(ProcessorTime | undefined)[]> {
  await send(WARM_REQUESTS)
  const [ofServer, ofProgram] = [await startProcessorMeter(holdfast), await startProcessorMeter(program)]
  const windows: (ProcessorTime | undefined)[] = []
  for (let window = 0; window < WINDOWS; window++) {
    await send(WINDOW_REQUESTS)
    const [server, own] = [await ofServer.take(), await ofProgram.take()]
    windows.push(server && own && { node: own.node, postgres: server.postgres })
  }
  return windows
}

const OTHERS = [
  ['bare', 'the bare driver'],
  ['handler', 'a Fastify handler'],
] as const

function toFigures(title: string, measured: OfAll): Figure[] {
  const figuresOf = ({ loads, windows }: Measured): Figure[] => [
    ...(['rate', 'p50', 'p99'] as const).map((what) => ({
      name: `${title}: ${what}`,
      value: median(loads.map((load) => load[what])),
      unit: what === 'rate' ? '/s' : 'ms',
    })),
    ...processorFigures(title, 'request', WINDOW_REQUESTS, windows),
  ]
  const ours = figuresOf(measured.ours)
  if (isAlone) return ours
  const others = OTHERS.map(([who, name]) => ({ name, figures: figuresOf(measured[who]) }))
  return ours.flatMap((figure, at) =>
    others.map(({ name, figures }) => ({ ...figure, reference: { name, value: figures[at]?.value ?? Number.NaN } })),
  )
}

function plainRequest(name: RestCaseName, path: string, random: number): LoadRequest {
  const { request, values } = restCase(name, random)
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'bench' }
  if (request.method === 'POST') return { ...request, path, headers }
  const parameter = name === 'single row by key' ? 'number' : 'project'
  return { method: 'GET', path: `${path}?${parameter}=${String(values[0])}`, headers }
}

async function measureBare(url: string, name: RestCaseName, connections: number): Promise<Load> {
  return JSON.parse(await askBare(url, 'bare', { name, connections, seconds: SECONDS })) as Load
}

async function askBare(
  url: string,
  path: string,
  { name, ...numbers }: { readonly name: RestCaseName } & Readonly<Record<string, number | string>>,
): Promise<string> {
  const query = new URLSearchParams({ case: name })
  for (const [key, value] of Object.entries(numbers)) query.set(key, String(value))
  const response = await fetch(`${url}/${path}?${query.toString()}`, { method: 'POST' })
  const text = await response.text()
  if (!response.ok) throw new Error(`the bare driver failed: ${text}`)
  return text
}

/** Both servers must give the same answer. */
async function requireSameAnswer(
  holdfast: Holdfast,
  plainUrl: string,
  name: RestCaseName,
  plainPath: string,
): Promise<void> {
  const [ours, theirs] = await Promise.all([
    ask(holdfast.url, restRequest(holdfast, name, 0.5)),
    ask(plainUrl, plainRequest(name, plainPath, 0.5)),
  ])
  if (ours !== theirs) throw new Error(`${name}: the answers differ:\n${ours.slice(0, 500)}\n${theirs.slice(0, 500)}`)
}

async function ask(url: string, { method, path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text === '' ? '' : JSON.stringify(JSON.parse(text))
}
