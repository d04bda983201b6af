import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TypeShape } from '@holdfast/policy'
import { arrayJson, compileRowEncoder } from './row-json.ts'

/** Type oids of Postgres. */
const OID = {
  bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, oid: 26, json: 114, xml: 142, point: 600, box: 603, float4: 700, float8: 701, money: 790, inet: 869,
  bpchar: 1042, varchar: 1043, date: 1082, time: 1083, timestamp: 1114, timestamptz: 1184, interval: 1186, timetz: 1266, bit: 1560, numeric: 1700, uuid: 2950,
  tsvector: 3614, jsonb: 3802, int4range: 3904,
} as const // prettier-ignore

function encode(typeOid: number, text: string | null, elementOid = 0): string {
  const delimiter = elementOid === OID.box ? ';' : ','
  const shape: TypeShape =
    elementOid === 0
      ? { kind: 'scalar', oid: typeOid }
      : { kind: 'array', element: { kind: 'scalar', oid: elementOid }, delimiter }
  return compileRowEncoder([{ column: { localName: 'v', shape }, position: 0 }])([text])
}

describe('a value of Postgres as JSON', () => {
  test.each<[keyof typeof OID, string, string]>([
    ['bool', 't', '1'],
    ['bool', 'f', '0'],
    ['int2', '-32768', '-32768'],
    ['int4', '7', '7'],
    ['int8', '9223372036854775807', '9223372036854775807'],
    ['oid', '4294967295', '4294967295'],
    ['float4', '1.5', '1.5'],
    ['float8', '1e+21', '1e+21'],
    ['float8', 'NaN', 'null'],
    ['float8', 'Infinity', '9e999'],
    ['float8', '-Infinity', '-9e999'],
    ['numeric', '10.00', '"10.00"'],
    ['numeric', 'NaN', '"NaN"'],
    ['text', 'a "b" \\ \n \u0001 ü 𝄞', String.raw`"a \"b\" \\ \n \u0001 ü 𝄞"`],
    ['text', '', '""'],
    ['bpchar', 'ab   ', '"ab   "'],
    ['varchar', 'x', '"x"'],
    ['uuid', '550e8400-e29b-41d4-a716-446655440000', '"550e8400-e29b-41d4-a716-446655440000"'],
    ['inet', '10.0.0.1', '"10.0.0.1"'],
    ['money', '$1.00', '"$1.00"'],
    ['interval', '1 day 02:03:04', '"1 day 02:03:04"'],
    ['timetz', '12:13:14+02', '"12:13:14+02"'],
    ['point', '(1,2)', '"(1,2)"'],
    ['tsvector', "'a' 'b'", `"'a' 'b'"`],
    ['bit', '101', '"101"'],
    ['xml', '<a/>', '"<a/>"'],
    ['int4range', '[1,5)', '"[1,5)"'],
    ['date', '2024-02-29', '"2024-02-29"'],
    ['date', 'infinity', '"9999-12-31"'],
    ['date', '-infinity', '"0000-01-01"'],
    ['date', '0044-03-15 BC', '"0044-03-15 BC"'],
    ['time', '12:13:14', '"12:13:14.000000"'],
    ['time', '12:13:14.5', '"12:13:14.500000"'],
    ['timestamp', '2024-02-29 12:13:14.5', '"2024-02-29T12:13:14.500000"'],
    ['timestamp', 'infinity', '"9999-12-31T23:59:59.999999"'],
    ['timestamp', '0044-03-15 01:02:03 BC', '"0044-03-15T01:02:03.000000 BC"'],
    ['timestamptz', '2024-02-29 10:13:14.123456+00', '"2024-02-29T10:13:14.123456Z"'],
    ['timestamptz', '2024-02-29 10:13:14+00', '"2024-02-29T10:13:14.000000Z"'],
    ['timestamptz', '-infinity', '"0000-01-01T00:00:00.000000Z"'],
    ['timestamptz', '0044-03-15 01:02:03+00 BC', '"0044-03-15T01:02:03.000000Z BC"'],
    ['json', '{"a": 1}', String.raw`"{\"a\": 1}"`],
    ['json', 'null', '"null"'],
    ['jsonb', '[]', '"[]"'],
  ])('%s %s', (type, text, json) => {
    expect(encode(OID[type], text)).toBe(`{"v":${json}}`)
  })

  test('NULL keeps its key, and bytes are hexadecimal digits', () => {
    expect(encode(OID.text, null)).toBe('{"v":null}')
    expect(encode(OID.bytea, null)).toBe('{"v":null}')
    expect(encode(OID.bytea, '\\x00ff')).toBe(String.raw`{"v":"\\x00ff"}`)
  })

  test('any text is the same text again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(encode(OID.text, text))).toEqual({ v: text })
      }),
    )
  })

  test('columns keep their order and take their own positions, whatever their names are', () => {
    const column = (localName: string, oid: number): Parameters<typeof compileRowEncoder>[0][number]['column'] => ({
      localName,
      shape: { kind: 'scalar', oid },
    })
    const encoder = compileRowEncoder([
      { column: column('b"', OID.int4), position: 2 },
      { column: column('raw', OID.bytea), position: 1 },
      { column: column('__proto__', OID.bool), position: 0 },
    ])
    expect(encoder(['t', '\\x00', '5'])).toBe(String.raw`{"b\"":5,"raw":"\\x00","__proto__":1}`)
  })
})

type Nested = string | null | readonly Nested[]

/** The literal as Postgres's array_out writes it. */
function literal(value: Nested): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return `{${value.map(literal).join(',')}}`
  const needsQuotes = value === '' || /[\s{}",\\]/.test(value) || value.toUpperCase() === 'NULL'
  return needsQuotes ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value
}

describe('an array of Postgres as JSON', () => {
  test.each<[string, number, string]>([
    ['{}', OID.int4, '[]'],
    ['{1,2,NULL}', OID.int4, '[1,2,null]'],
    ['{t,f}', OID.bool, '[1,0]'],
    ['{{1,2},{3,4}}', OID.int4, '[[1,2],[3,4]]'],
    ['[0:1]={7,8}', OID.int4, '[7,8]'],
    ['[-1:0][2:3]={{a,b},{c,d}}', OID.text, '[["a","b"],["c","d"]]'],
    ['{1.50,NaN}', OID.numeric, '["1.50","NaN"]'],
    ['{1.5,NaN,Infinity}', OID.float8, '[1.5,null,9e999]'],
    ['{"2024-02-29 12:13:14.5",NULL}', OID.timestamp, '["2024-02-29T12:13:14.500000",null]'],
    [String.raw`{"{\"a\": 1}"}`, OID.jsonb, String.raw`["{\"a\": 1}"]`],
    [String.raw`{"\\x00"}`, OID.bytea, String.raw`["\\x00"]`],
    ['{(1,1),(0,0);(3,3),(2,2)}', OID.box, '["(1,1),(0,0)","(3,3),(2,2)"]'],
    ['{"NULL",null,NULL}', OID.text, '["NULL","null",null]'],
  ])('%s', (text, elementOid, json) => {
    expect(arrayJson(text, elementOid)).toBe(json)
    expect(encode(1007, text, elementOid)).toBe(`{"v":${JSON.stringify(json)}}`)
  })

  test('any texts, in any depth, are the same again', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('NULL', 'null', '{', '}', '"', '\\', ',', ' ', ''),
    )
    const flat = fc.array(fc.option(text), { maxLength: 5 })
    const arrays = fc.oneof(
      flat,
      fc.array(flat, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(flat, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    )
    fc.assert(
      fc.property(arrays, (value) => {
        expect(JSON.parse(arrayJson(literal(value), OID.text))).toEqual(value)
      }),
    )
  })
})
