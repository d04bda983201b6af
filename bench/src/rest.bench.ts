import type { Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'
import { measureLoad, type Load, type LoadRequest } from './http-load.ts'
import { median, type Figure } from './report.ts'
import { createRestTables, OWNER, restCase, type RestCaseName } from './rest-cases.ts'
import { sized, sizedSeconds } from './size.ts'
import { startPlain } from './start-plain.ts'
import { mintToken } from './tokens.ts'

const CASES: readonly { readonly name: RestCaseName; readonly plainPath: string }[] = [
  { name: 'single row by key', plainPath: '/single' },
  { name: '100 rows with two embeds', plainPath: '/embeds' },
  { name: 'insert of one', plainPath: '/insert' },
  { name: 'bulk insert of 1,000', plainPath: '/bulk' },
]
const CONNECTIONS = [1, 16, 64]

/** Taken in turn by all three, so that what else the machine does meets all of them. */
const ROUNDS = sized(3)
const SECONDS = sizedSeconds(1.5)

/** Requests to the REST API, beside (a) the same statement under the same role by the driver alone and (b) in a Fastify handler. */
export async function benchRest(holdfast: Holdfast): Promise<Figure[]> {
  await createRestTables(holdfast.admin)
  await using plain = await startPlain(new URL('plain-rest.ts', import.meta.url), holdfast.databaseUrl)
  const figures: Figure[] = []
  for (const { name, plainPath } of CASES) {
    await requireSameAnswer(holdfast, plain.url, name, plainPath)
    for (const connections of CONNECTIONS) {
      const loads: { ours: Load[]; bare: Load[]; handler: Load[] } = { ours: [], bare: [], handler: [] }
      for (let round = 0; round < ROUNDS; round++) {
        const input = { connections, seconds: SECONDS }
        const next = (): LoadRequest => ourRequest(holdfast, name)
        loads.bare.push(await measureBare(plain.url, name, connections))
        loads.ours.push(await measureLoad({ ...input, url: holdfast.url, next }))
        loads.handler.push(
          await measureLoad({ ...input, url: plain.url, next: () => plainRequest(name, plainPath, Math.random()) }),
        )
        await holdfast.admin.execute(sql`truncate public.bench_notes`)
      }
      figures.push(...toFigures(`${name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`, loads))
    }
  }
  return figures
}

function toFigures(
  name: string,
  loads: { readonly ours: readonly Load[]; readonly bare: readonly Load[]; readonly handler: readonly Load[] },
): Figure[] {
  const middle = (of: readonly Load[], what: keyof Load): number => median(of.map((load) => load[what]))
  return (['rate', 'p50', 'p99'] as const).flatMap((what): Figure[] => {
    const value = middle(loads.ours, what)
    const figure = { name: `${name}: ${what}`, value, unit: what === 'rate' ? '/s' : 'ms' }
    return [
      { ...figure, reference: { name: 'the bare driver', value: middle(loads.bare, what) } },
      { ...figure, reference: { name: 'a Fastify handler', value: middle(loads.handler, what) } },
    ]
  })
}

function ourRequest(holdfast: Holdfast, name: RestCaseName, random = Math.random()): LoadRequest {
  token ??= mintToken(holdfast.jwtSecret, OWNER)
  const headers = {
    apikey: holdfast.anonKey,
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'bench',
  }
  return { ...restCase(name, random).request, headers }
}

let token: string | undefined

function plainRequest(name: RestCaseName, path: string, random: number): LoadRequest {
  const { request, values } = restCase(name, random)
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'bench' }
  if (request.method === 'POST') return { ...request, path, headers }
  const parameter = name === 'single row by key' ? 'number' : 'project'
  return { method: 'GET', path: `${path}?${parameter}=${String(values[0])}`, headers }
}

async function measureBare(url: string, name: RestCaseName, connections: number): Promise<Load> {
  const query = new URLSearchParams({ case: name, connections: String(connections), seconds: String(SECONDS) })
  const response = await fetch(`${url}/bare?${query.toString()}`, { method: 'POST' })
  if (!response.ok) throw new Error(`the bare driver failed: ${await response.text()}`)
  return (await response.json()) as Load
}

/** What is compared has to be the same. */
async function requireSameAnswer(
  holdfast: Holdfast,
  plainUrl: string,
  name: RestCaseName,
  plainPath: string,
): Promise<void> {
  const [ours, theirs] = await Promise.all([
    ask(holdfast.url, ourRequest(holdfast, name, 0.5)),
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
