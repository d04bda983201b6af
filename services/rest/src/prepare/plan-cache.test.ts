import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Utf8 } from '@holdfast/postgres'
import { smallCatalog } from '../../test/small-catalog.ts'
import { MEBIBYTE, usedBytes } from '../../test/used-bytes.ts'
import type { RestRoutine } from '../catalog/catalog.ts'
import { withPlanCache } from './plan-cache.ts'
import { restOptions, type RestOptions } from '../options.ts'
import { createStages, prepareWith, type Prepare, type Prepared } from './stages.ts'
import type { RawRequest } from '../request/parse-request.ts'

const OPTIONS = {
  ...(Object.fromEntries(
    Object.entries(restOptions).map(([name, { default: value }]) => [name, value]),
  ) as unknown as RestOptions),
  restSchemas: ['public'],
}

const stages = createStages(OPTIONS, smallCatalog(), { disabled: false })

function get(search: string, others: Partial<RawRequest> = {}): RawRequest {
  return { method: 'GET', path: '/tasks', search, headers: {}, body: undefined, ...others }
}

/** Returns the prepared request or its error. */
function outcome(prepare: () => Prepared): unknown {
  try {
    const { request, plan, main, explain } = prepare()
    return {
      headers: request.headers,
      cookies: request.cookies,
      canonical: request.query.canonical,
      range: request.range,
      preferences: request.preferences,
      columns: request.payload?.columns,
      kind: plan.kind,
      media: plan.kind === 'info' || plan.kind === 'inspect' ? undefined : plan.media,
      main: main && { text: main.text, values: main.values.map(plainly) },
      explain: explain && { text: explain.text, values: explain.values.map(plainly) },
    }
  } catch (error) {
    return { refusal: (error as Error).message, code: (error as { code?: string }).code }
  }
}

function plainly(value: unknown): unknown {
  return value instanceof Utf8 ? value.toString() : value
}

const fresh = (raw: RawRequest): unknown => outcome(() => prepareWith(stages)(raw))
const cached = (prepare: Prepare, raw: RawRequest): unknown => outcome(() => prepare(raw))

const operand = fc.oneof(
  fc.constantFrom(
    'null',
    '',
    '(1,2)',
    '{1,2}',
    '"a"',
    '*',
    'a*b',
    '%',
    'not.eq.1',
    'true',
    '\\',
    ',',
    '()',
    'eq.1',
    '.',
  ),
  fc.integer().map(String),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
)

const encoded = operand.map((text) => {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%EF%BF%BD'
  }
})

const filter = fc
  .tuple(
    fc.constantFrom(
      'id',
      'title',
      'done',
      'project_id',
      'projects.name',
      'nope',
      'select',
      'limit',
      'offset',
      'or',
      'projects.limit',
    ),
    fc.constantFrom('', 'not.'),
    fc.constantFrom('eq', 'neq', 'gt', 'lte', 'like', 'in', 'is', 'eq(any)', 'cs', 'fts', 'isdistinct', 'match'),
    encoded,
  )
  .map(([name, not, operator, value]) => `${name}=${not}${operator}.${value}`)

const others = fc.constantFrom(
  'select=*',
  'select=id,projects(name)',
  'order=id',
  'limit=3',
  'offset=1',
  'projects.limit=2',
  'or=(id.eq.1,id.eq.2)',
  'columns=id',
)

const search = fc
  .array(fc.oneof({ weight: 2, arbitrary: filter }, others), { maxLength: 4 })
  .map((parts) => parts.join('&'))

const body = fc.constantFrom(
  '',
  '{}',
  '[]',
  '{"title":"a"}',
  '{"title":"b"}',
  '{"id":1,"title":"ä"}',
  '[{"title":"a"},{"title":"b"}]',
  '[{"id":1}]',
  '[1]',
  '{',
  '[{}]',
)

const rawRequest = fc
  .record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'),
    search,
    body,
    headers: fc.record(
      {
        prefer: fc.constantFrom(
          'count=exact',
          'return=representation',
          'resolution=merge-duplicates',
          'missing=default',
        ),
        range: fc.constantFrom('0-1', '2-'),
        accept: fc.constantFrom('text/csv', 'application/vnd.pgrst.object+json', '*/*'),
        'content-type': fc.constantFrom('application/json', 'text/csv'),
        cookie: fc.constantFrom('a=1', 'b=2'),
        'x-other': fc.string({ maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ method, search: query, body: text, headers }): RawRequest => ({
    method,
    path: '/tasks',
    search: query,
    headers,
    body: method === 'GET' || method === 'HEAD' ? undefined : Buffer.from(text),
  }))

describe('a cache of plans', () => {
  test('comes to what a request comes to without it, whatever came before', () => {
    const cache = withPlanCache(stages, 1_000)
    fc.assert(
      fc.property(rawRequest, (raw) => {
        const expected = fresh(raw)
        for (let round = 0; round < 4; round++) expect(cached(cache, raw)).toEqual(expected)
      }),
      { numRuns: runsOf(1_500) },
    )
  })

  test('puts other operands into a shape that it knows', () => {
    const cache = withPlanCache(stages, 10)
    fc.assert(
      fc.property(encoded, encoded, (first, second) => {
        for (const operator of ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'not.eq']) {
          const raw = get(`title=${operator}.${first}&select=id&projects.name=eq.x&id=gt.${second}`)
          expect(cached(cache, raw)).toEqual(fresh(raw))
        }
      }),
      { numRuns: runsOf(500) },
    )
  })

  test('plans a shape that it knows no more, and the third time at the latest', () => {
    let plans = 0
    const counting = {
      ...stages,
      plan: (request: Parameters<typeof stages.plan>[0]) => (plans++, stages.plan(request)),
    }
    const prepare = withPlanCache(counting, 10)
    for (let id = 0; id < 50; id++) {
      const { main } = prepare(get(`id=eq.${id}&select=id,title`))
      expect(main?.values[0]).toBe(String(id))
    }
    expect(plans).toBe(3) // the first request, and the second with and without markers
    for (let id = 0; id < 50; id++) {
      const raw = get('', { method: 'POST', body: Buffer.from(JSON.stringify({ id, title: `n${id}` })) })
      expect(plainly(prepare(raw).main?.values[0])).toBe(`{"id":${id},"title":"n${id}"}`)
    }
    expect(plans).toBe(7)
  })

  test.each([
    ['application/json', (text: string) => JSON.stringify([{ title: text }])],
    ['text/csv', (text: string) => `title,project_id\n${text},1`],
    ['application/x-www-form-urlencoded', (text: string) => `project_id=1&title=${text}`],
  ])('holds nothing of a body (%s) once its request is prepared', async (type, render) => {
    const prepare = withPlanCache(stages, 1_000)
    const before = await usedBytes()
    for (let shape = 0; shape < 12; shape++) {
      const headers = { 'content-type': type, prefer: `shape=${shape}` }
      for (let round = 0; round < 3; round++) {
        prepare(get('', { method: 'POST', headers, body: Buffer.from(render('x'.repeat(MEBIBYTE))) }))
      }
    }
    expect(await usedBytes()).toBeLessThan(before + 6 * MEBIBYTE)
  })

  test('holds no keys of a body that a function takes whole, nor headers, when they are long', async () => {
    const routine: RestRoutine = {
      schema: 'public',
      name: 'whole',
      parameters: [{ name: '', type: 'jsonb', hasDefault: false, variadic: false }],
      volatility: 'volatile',
      returnsSet: false,
      returns: 'scalar',
      returnsRelation: undefined,
      settings: {},
    }
    const catalog = { ...smallCatalog(), routines: () => [routine] }
    const prepare = withPlanCache(createStages(OPTIONS, catalog, { disabled: false }), 1_000)
    const call = { method: 'POST', path: '/rpc/whole' }
    const before = await usedBytes()
    for (let shape = 0; shape < 12; shape++) {
      for (let round = 0; round < 3; round++) {
        const key = `${shape}${'x'.repeat(MEBIBYTE)}`
        prepare(get('', { ...call, body: Buffer.from(JSON.stringify({ [key]: 1 })) }))
        prepare(get('', { headers: { prefer: `long=${key}` } }))
        prepare(get('', { ...call, headers: { prefer: `long=${key}` }, body: Buffer.from('{}') }))
      }
    }
    expect(await usedBytes()).toBeLessThan(before + 6 * MEBIBYTE)
  })
})
