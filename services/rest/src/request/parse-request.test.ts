import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HoldfastError } from '@holdfast/foundation'
import { parseRequest, type RawRequest } from './parse-request.ts'
import { parsePreferences } from './preferences.ts'
import { parseRange } from './range.ts'

const request = (over: Partial<RawRequest>) =>
  parseRequest(
    { method: 'GET', path: '/tasks', search: '', headers: {}, body: undefined, ...over },
    { schemas: ['public', 'api'], mayChooseEnd: true, root: { kind: 'schema' } },
  )

/** Meaningful fragments, so that random texts reach deep into the parsers. */
const pieces = fc.constantFrom(
  'select',
  'order',
  'and',
  'or',
  'not',
  'limit',
  'offset',
  'columns',
  'on_conflict',
  'id',
  'in',
  'is',
  'eq',
  'fts',
  'asc',
  'nullslast',
  '=',
  '&',
  '.',
  ',',
  '(',
  ')',
  '"',
  '\\',
  '->',
  '->>',
  '::',
  ':',
  '!',
  '...',
  '*',
  '{',
  '}',
  ' ',
  '+',
  '%',
  '%00',
  '%FF',
  '%20',
  '-',
  ';',
  "'",
  '--',
  '/*',
  '$1',
  '0',
  '-1',
  '9'.repeat(30),
  'é',
)
const garbage = fc.oneof(
  fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

describe('parseRequest', () => {
  test('answers any query string, path and header with a request or a refusal', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'),
        fc.oneof(
          fc.constantFrom('/tasks', '/rpc/f'),
          garbage.map((text) => `/${text}`),
        ),
        garbage,
        fc.dictionary(
          fc.constantFrom('prefer', 'accept', 'range', 'cookie', 'accept-profile', 'content-type'),
          garbage,
        ),
        fc.option(garbage, { nil: undefined }),
        (method, path, search, headers, body) => {
          try {
            request({ method, path, search, headers, body: body === undefined ? undefined : Buffer.from(body) })
          } catch (error) {
            expect(error).toBeInstanceOf(HoldfastError)
            expect((error as HoldfastError).status).toBeLessThan(500)
          }
        },
      ),
      { numRuns: runsOf(2000) },
    )
  })

  test('refuses a NUL anywhere in the query string, and an empty name', () => {
    for (const search of ['id=eq.%00', '%00=eq.1', 'select=%00', '=eq.1', 'select=""', 'order=""', 'columns=""']) {
      expect(() => request({ search })).toThrow(expect.objectContaining({ code: 'PGRST100' }) as Error)
    }
  })

  test('takes plus and percent signs as browsers send them', () => {
    const { filters } = request({ search: 'a+b=eq.c+d%2Be' }).query
    expect(filters[0]).toMatchObject({ value: { field: { name: 'a b' }, operation: { value: 'c d+e' } } })
  })

  test('takes a parameter that is no filter for the argument of a function', () => {
    const { args, filters } = request({ path: '/rpc/f', search: 'a=1&b=eq.2&c={x}' }).query
    expect(args).toEqual([
      ['a', '1'],
      ['c', '{x}'],
    ])
    expect(filters).toHaveLength(1)
  })

  test('puts conditions, orders and ranges at their embeds', () => {
    const { query } = request({ search: 'p.c.id=eq.1&p.not.or=(a.eq.1,b.eq.2)&p.order=x&p.limit=3&p.offset=1' })
    expect(query.filters[0]).toMatchObject({ path: ['p', 'c'], value: { field: { name: 'id' } } })
    expect(query.logic[0]).toMatchObject({ path: ['p'], value: { negated: true, operator: 'or' } })
    expect(query.order[0]?.path).toEqual(['p'])
    expect(query.ranges).toEqual([{ path: ['p'], value: { limit: 3, offset: 1 } }])
  })

  test('refuses more of anything than its limit', () => {
    for (const search of [
      Array.from({ length: 301 }, () => 'a=eq.1').join('&'),
      `or=(${Array.from({ length: 600 }, () => 'a.eq.1').join(',')})`,
      `id=in.(${Array.from({ length: 10_001 }, () => '1').join(',')})`,
      `select=${Array.from({ length: 501 }, () => 'a').join(',')}`,
      `select=a${'->a'.repeat(31)}`,
    ]) {
      expect(() => request({ search })).toThrow(expect.objectContaining({ code: 'PGRST100' }) as Error)
    }
  })

  test('chooses the schema by the header that fits the method', () => {
    const headers = { 'accept-profile': 'api', 'content-profile': 'public', 'content-type': 'application/json' }
    expect(request({ headers }).schema).toBe('api')
    expect(request({ method: 'POST', headers, body: Buffer.from('{}') }).schema).toBe('public')
  })

  test.each([
    ['', 'PGRST102'],
    ['{', 'PGRST102'],
    ['[{"a":1},2]', 'PGRST102'],
    ['[{"a":1},{"b":1}]', 'PGRST102'],
    ['[1]', 'PGRST102'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'PGRST102'],
  ])('refuses the body %j', (body, code) => {
    expect(() => request({ method: 'POST', body: Buffer.from(body as string) })).toThrow(
      expect.objectContaining({ code, status: 400 }) as Error,
    )
  })

  test.each([
    ['{"a":1,"b":2}', undefined, { isObject: true, columns: ['a', 'b'] }],
    ['[{"a":1},{"a":2}]', undefined, { isObject: false, columns: ['a'] }],
    ['[]', undefined, { json: '[]', columns: [] }],
    ['5', undefined, { json: '[]', columns: [] }],
    [' [{"x":1}]', 'columns=a,"b c",a', { isObject: false, columns: ['a', 'b c'] }],
  ])('reads the body %j', (body, search, payload) => {
    expect(request({ method: 'POST', search: search ?? '', body: Buffer.from(body) }).payload).toMatchObject(payload)
  })
})

describe('parseRange', () => {
  const at = (offset: number, limit: number | undefined) => [{ path: [], value: { offset, limit } }]

  test.each([
    ['GET', undefined, [], { offset: 0, limit: undefined }],
    ['GET', '0-9', [], { offset: 0, limit: 10 }],
    ['GET', '5-', [], { offset: 5, limit: undefined }],
    ['GET', '0-9', at(3, 4), { offset: 3, limit: 4 }],
    ['GET', '0-4', at(3, 10), { offset: 3, limit: 2 }],
    ['GET', '0-9', at(0, 0), { offset: 0, limit: 0 }],
    ['GET', 'rows=1-2', [], { offset: 0, limit: undefined }],
    ['HEAD', '0-9', [], { offset: 0, limit: undefined }],
  ] as const)('%s with %j', (method, header, ranges, expected) => {
    expect(parseRange(method, header, ranges)).toEqual(expected)
  })

  test('refuses ranges without rows', () => {
    expect(() => parseRange('GET', '9-0', [])).toThrow(
      expect.objectContaining({ code: 'PGRST103', status: 416 }) as Error,
    )
    expect(() => parseRange('GET', '0-2', at(5, 5))).toThrow(expect.objectContaining({ code: 'PGRST103' }) as Error)
    expect(() => parseRange('PUT', undefined, at(0, 5))).toThrow(expect.objectContaining({ code: 'PGRST114' }) as Error)
  })
})

describe('headers', () => {
  test('of several preferences of a kind the first counts, and unknown ones are listed', () => {
    expect(
      parsePreferences('return=minimal,return=representation , count=exact,x, max-affected=5, count=many', true),
    ).toMatchObject({
      representation: 'minimal',
      count: 'exact',
      maxAffected: 5,
      invalid: ['x', 'count=many'],
    })
  })
})
