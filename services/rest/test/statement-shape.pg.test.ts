import { runsOf, seedOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { HoldfastError } from '@holdfast/foundation'
import { readCatalog, Utf8 } from '@holdfast/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wildRequest, type WildRequest } from './request-arbitrary.ts'
import { openRestWorld, type RestWorld } from './rest-world.ts'
import { createCatalogView } from '../src/catalog/catalog-view.ts'
import { restOptions, type RestOptions } from '../src/options.ts'
import { withPlanCache } from '../src/prepare/plan-cache.ts'
import { createStages, prepareWith, type Prepare, type Prepared, type Stages } from '../src/prepare/stages.ts'

/*
 * What a request says is never text of a statement. Replacing values leaves the text as it was, but for a limit, which is an integer that
 * Postgres has to know when it plans; and of a request's own words only names between quotes are in it, as identifiers. The statements are those that the stages make, against a catalog that was read.
 *
 * `HOLDFAST_REST_RUNS` sets how many requests are tried and `HOLDFAST_REST_SEED` repeats a run; a failure prints its seed.
 */
const RUNS = runsOf(300, { variable: 'HOLDFAST_REST_RUNS' })
const SEED = seedOf('HOLDFAST_REST_SEED')
const PARAMETERS = { numRuns: RUNS, seed: SEED }

let world: RestWorld
let stages: Stages

const OPTIONS = {
  ...(Object.fromEntries(
    Object.entries(restOptions).map(([name, { default: value }]) => [name, value]),
  ) as unknown as RestOptions),
  restSchemas: ['public'],
  restWritesNeedFilter: false,
  restAggregatesEnabled: true,
  restPlanEnabled: true,
}

beforeAll(async () => {
  world = await openRestWorld()
  const catalog = await readCatalog(world.db.pool)
  stages = createStages(OPTIONS, createCatalogView()(catalog), { disabled: false })
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** What a request is run with, or `undefined` when it is refused before. */
function prepare({ method, url, headers, body }: WildRequest, prepareRaw: Prepare): Prepared | undefined {
  const [path = '', ...rest] = url.split('?')
  const raw = {
    method,
    path,
    search: rest.join('?'),
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
  }
  try {
    return prepareRaw(raw)
  } catch (error) {
    if (error instanceof HoldfastError && error.status < 500) return undefined
    throw error
  }
}

function statementsOf(request: WildRequest): readonly string[] | undefined {
  const prepared = prepare(request, prepareWith(stages))
  return (
    prepared &&
    [prepared.main, prepared.explain].map((part) => (part?.text ?? '').replaceAll(/ limit [0-9]+/g, ' limit N'))
  )
}

/** Text and values, to be compared. */
function runOf(prepared: Prepared | undefined): unknown {
  const plain = (value: unknown): unknown => (value instanceof Utf8 ? value.toString() : value)
  return [prepared?.main, prepared?.explain].map((part) => part && [part.text, part.values.map(plain)])
}

/** Without what stands between double quotes. */
function withoutIdentifiers(text: string): string {
  return text.replaceAll(/"(?:[^"]|"")*"/g, '""')
}

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
  fc.constantFrom(
    "'",
    '"',
    "x'); drop table tasks; --",
    '$1',
    '\\',
    '{}',
    '{"a":1}',
    '(',
    ')',
    ',',
    '%',
    '*',
    ':a',
    '::',
  ),
)

/** Requests with a place for a value in every part that takes one. */
const TEMPLATES: readonly ((text: string, other: string, number: number) => WildRequest)[] = [
  (text, other) => get(`/tasks?title=eq.${enc(text)}&title=not.like.${enc(other)}`),
  (text) => get(`/tasks?title=ilike(any).${enc(`{${quoted(text)}}`)}`),
  (text, other) => get(`/tasks?title=in.(${enc(quoted(text))},${enc(quoted(other))})`),
  (text, other) => get(`/tasks?and=(title.eq.${enc(quoted(text))},or(title.match.${enc(quoted(other))},id.eq.1))`),
  (text) => get(`/projects?tags=cs.${enc(text)}&meta=cd.${enc(text)}&starts=isdistinct.${enc(text)}`),
  (text) => get(`/projects?name=wfts.${enc(text)}&name=not.fts(english).${enc(text)}`),
  (text, other) => get(`/projects?meta->${enc(quoted(text))}->>${enc(quoted(other))}=eq.${enc(text)}`),
  (text) => get(`/projects?select=id,tasks!inner(id)&tasks.title=eq.${enc(text)}&tasks.limit=1`),
  (_text, _other, number) => get(`/tasks?limit=${(number % 999) + 1}&offset=${number}`),
  (_text, _other, number) => get(`/projects?select=id,tasks(id)&tasks.limit=${number}&tasks.offset=${number}`),
  (text, other) => get(`/rpc/fail?state=${enc(text)}&said=${enc(other)}`),
  (text, other) => get(`/rpc/numbers?list=${enc(text)}&list=${enc(other)}`),
  (text) => get(`/rpc/all_clients?name=eq.${enc(text)}`),
  (text, other) => post('/rpc/fail', { state: text, said: other }),
  (text) => post('/rpc/whole', { any: text }),
  (text, other, number) => post('/tasks', { title: text, rank: number, parent_id: other }),
  (text, other) => post('/people?on_conflict=name', [{ id: text, name: other }], 'resolution=merge-duplicates'),
  (text, other) => ({ ...post(`/tasks?title=eq.${enc(other)}`, { title: text }), method: 'PATCH' }),
  (text, other) => ({ ...post(`/people?id=eq.${enc(text)}`, { id: text, name: other }), method: 'PUT' }),
  (text) => ({ ...get(`/tasks?title=eq.${enc(text)}`), method: 'DELETE' }),
  (text) => ({ ...get('/tasks?id=eq.1'), headers: { cookie: text, 'x-anything': text, prefer: 'count=exact' } }),
]

function get(url: string): WildRequest {
  return { method: 'GET', url, headers: {}, body: undefined }
}

function post(url: string, body: unknown, prefer?: string): WildRequest {
  const headers = { 'content-type': 'application/json', ...(prefer !== undefined && { prefer }) }
  return { method: 'POST', url, headers, body: JSON.stringify(body) }
}

function enc(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

describe('the text of a statement', () => {
  test('is the same whatever the values are', () => {
    // An offset of nothing is none.
    const number = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(
        fc.constantFrom(...TEMPLATES),
        fc.tuple(value, value, number),
        fc.tuple(value, value, number),
        (template, first, second) => {
          const plain = statementsOf(template('x', 'y', 1))
          expect(plain).toBeDefined()
          for (const values of [first, second]) {
            const statements = statementsOf(template(...values))
            // A value may be refused, such as an empty step of a JSON path; it is never rendered differently.
            if (statements !== undefined) expect(statements).toEqual(plain)
          }
        },
      ),
      PARAMETERS,
    )
  })

  test.each(TEMPLATES.map((template, index) => [index, template] as const))(
    'is made for a common value (template %i)',
    (_index, template) => {
      expect(statementsOf(template('a value', 'another', 3))?.join(' ')).toMatch(/select|insert|update|delete/)
    },
  )

  test('has nothing of a request outside of quoted names', () => {
    // A word that no grammar has, put into every part of the request at random.
    const marked = fc
      .tuple(wildRequest, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
      .map(([request, places]) => mark(request, places))
    fc.assert(
      fc.property(marked, (request) => {
        for (const text of statementsOf(request) ?? []) {
          expect(withoutIdentifiers(text).toLowerCase()).not.toContain(MARKER)
          expect(withoutIdentifiers(text)).not.toMatch(/--|\/\*|;/)
        }
      }),
      { ...PARAMETERS, numRuns: RUNS * 5 },
    )
  })

  test('and its values are the same from the cache as without it', () => {
    const cache = withPlanCache(stages, 50)
    const related = fc
      .tuple(wildRequest, fc.array(fc.nat(), { maxLength: 3 }))
      .map(([request, places]) => [request, request, ...places.map((place) => mark(request, [place])), request])
    const templated = fc
      .tuple(fc.constantFrom(...TEMPLATES), fc.array(fc.tuple(value, value, fc.nat({ max: 1000 })), { maxLength: 4 }))
      .map(([template, values]) => values.map((given) => template(...given)))
    fc.assert(
      fc.property(fc.oneof(related, templated), (requests) => {
        for (const request of requests) {
          expect(runOf(prepare(request, cache))).toEqual(runOf(prepare(request, prepareWith(stages))))
        }
      }),
      PARAMETERS,
    )
  })

  test.each([
    '/tasks?select=zqxjq:id,id::zqxjq,title->zqxjq',
    '/tasks?select=x:title::text&order=zqxjq.desc&zqxjq=eq.1',
    '/projects?select=meta->zqxjq->>zqxjq,zqxjq:tasks(zqxjq:id)&zqxjq.order=id&meta->>zqxjq=eq.zqxjq',
    '/projects?name=fts(zqxjq).zqxjq&columns=zqxjq',
    '/rpc/add?a=zqxjq',
  ])('quotes names that it was given: %s', (url) => {
    const statements = statementsOf(get(url))
    if (statements === undefined) return
    for (const text of statements) expect(withoutIdentifiers(text).toLowerCase()).not.toContain(MARKER)
  })
})

const MARKER = 'zqxjq'

/** Puts the marker at places of the address, the headers and the body. */
function mark(request: WildRequest, places: readonly number[]): WildRequest {
  const insert = (text: string, place: number): string => {
    const at = place % (text.length + 1)
    return `${text.slice(0, at)}${MARKER}${text.slice(at)}`
  }
  return places.reduce<WildRequest>((marked, place) => {
    const part = place % 4
    if (part < 2) {
      const start = Math.max(marked.url.indexOf('?'), 0)
      const [head, tail] = part === 0 ? ['', marked.url] : [marked.url.slice(0, start), marked.url.slice(start)]
      return { ...marked, url: `${head}${insert(tail, place)}` }
    }
    if (part === 2 && typeof marked.body === 'string') return { ...marked, body: insert(marked.body, place) }
    const headers = Object.entries(marked.headers).map(([name, text]) => [name, insert(text, place)] as const)
    return { ...marked, headers: Object.fromEntries(headers.slice(0, 1)) }
  }, request)
}
