import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// The stand-in for pg_jsonschema, created and used by the project's role. It also passed JSON Schema's own test suite: decision 118.

let database: TestDatabase
let project: Pool
beforeAll(async () => {
  database = await openTestDatabase()
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 2 })
  await project.execute(sql`create extension if not exists pg_jsonschema with schema extensions version '0.3.1'`)
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function errorsOf(schema: unknown, instance: unknown): Promise<unknown> {
  const [row] = await project.query<{ errors: unknown }>(sql`
    select extensions.jsonschema_validation_errors(${JSON.stringify(schema)}::json, ${JSON.stringify(instance)}::json) as errors`)
  return row?.errors
}

describe('a value is judged by', () => {
  test.each<readonly [string, unknown, readonly unknown[], readonly unknown[]]>([
    ['type', { type: 'integer' }, [1, 1.0, -3e2], [1.5, '1', null, true]],
    ['types', { type: ['string', 'null'] }, ['', null], [0, {}]],
    ['enum and const', { enum: [1, 'a', { b: [] }] }, [1, { b: [] }], [2, { b: {} }]],
    ['bounds of numbers', { minimum: 1, exclusiveMaximum: 3, multipleOf: 0.1 }, [1, 1.1, 2.9], [0.9, 3, 1.05]],
    ['lengths, in characters', { minLength: 2, maxLength: 3 }, ['äö', '👷👷'], ['a', 'abcd']],
    ['a pattern, anywhere in the text', { pattern: '\\bpump\\d$' }, ['a pump1', 'pump2'], ['apump1', 'pump12']],
    [
      'properties',
      {
        properties: { a: { type: 'number' } },
        patternProperties: { '^x-': true },
        additionalProperties: false,
        required: ['a'],
      },
      [{ a: 1 }, { a: 1, 'x-b': null }],
      [{}, { a: '1' }, { a: 1, b: 2 }],
    ],
    [
      'names of properties',
      { propertyNames: { maxLength: 2 }, maxProperties: 1 },
      [{ ab: 1 }],
      [{ abc: 1 }, { a: 1, b: 2 }],
    ],
    [
      'what depends',
      { dependentRequired: { card: ['address'] }, dependencies: { phone: { required: ['name'] } } },
      [{}, { card: 1, address: 2 }],
      [{ card: 1 }, { phone: 1 }],
    ],
    [
      'items',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' }, maxItems: 3 },
      [['a', 1], []],
      [[1], ['a', 'b'], ['a', 1, 2, 3]],
    ],
    ['items as a list', { items: [{ type: 'string' }], additionalItems: false }, [['a'], []], [[1], ['a', 1]]],
    [
      'what is in it',
      { contains: { const: 1 }, maxContains: 2, uniqueItems: false },
      [[1], [1, 1]],
      [[], [2], [1, 1, 1]],
    ],
    [
      'uniqueness, by value',
      { uniqueItems: true },
      [
        [1, '1'],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ['combinations', { anyOf: [{ type: 'string' }, { minimum: 5 }], not: { const: 'no' } }, ['a', 7], ['no', 3]],
    ['one of several', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 9], [6, 7]],
    [
      'a condition',
      JSON.parse('{"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "number"}}'),
      ['a', 1],
      ['', null],
    ],
    [
      'references',
      {
        $ref: '#/$defs/tree',
        $defs: {
          tree: {
            type: 'object',
            required: ['n'],
            properties: { n: { $ref: '#number' }, kids: { items: { $ref: '#/$defs/tree' } } },
          },
          'a/b~c%': { $anchor: 'number', type: 'number' },
        },
      },
      [{ n: 1 }, { n: 1, kids: [{ n: 2 }] }],
      [{ n: '1' }, { n: 1, kids: [{ n: 2, kids: [{}] }] }],
    ],
    ['a path that is escaped', { $ref: '#/$defs/a~1b~0c%25', $defs: { 'a/b~c%': { const: 1 } } }, [1], [2]],
    ['true', true, [null], []],
    ['false', false, [], [null]],
  ])('%s', async (_, schema, good, bad) => {
    for (const value of good) expect(await errorsOf(schema, value), JSON.stringify(value)).toEqual([])
    for (const value of bad) expect(await errorsOf(schema, value), JSON.stringify(value)).not.toEqual([])
  })

  test('all rules at once, and each error says what is wrong', async () => {
    const schema = {
      required: ['name'],
      properties: { size: { type: 'number', minimum: 1 }, tags: { items: { maxLength: 4 } } },
    }
    expect(await errorsOf(schema, { size: 0, tags: ['abcde', 'a'] })).toEqual([
      '"name" is a required property',
      '0 is less than the minimum of 1',
      '"abcde" is longer than 4 characters',
    ])
  })
})

test('a table keeps what does not fit out', async () => {
  await project.execute(sql`
    create table public.customer (metadata jsonb, other json,
      check (extensions.jsonb_matches_schema('{"type": "object", "required": ["name"]}', metadata)),
      check (extensions.json_matches_schema('{"type": "array"}', other)))`)
  await project.execute(sql`insert into public.customer values ('{"name": "Ada"}', '[]'), (null, null)`)
  for (const values of [sql`('{}', '[]')`, sql`('{"name": "Ada"}', '{}')`])
    await expect(project.execute(sql`insert into public.customer values ${values}`)).rejects.toMatchObject({
      code: '23514',
    })
})

test.each([
  ['{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}', true],
  ['{"$defs": {"a": {"$ref": "#"}}, "items": [{"format": "date"}]}', true],
  ['{"type": "text"}', false],
  ['{"properties": {"a": {"minLength": -1}}}', false],
  ['{"required": "a"}', false],
  ['[]', false],
])('whether %s is a schema: %s', async (schema, isValid) => {
  expect(await project.query(sql`select extensions.jsonschema_is_valid(${schema}) as "isValid"`)).toEqual([{ isValid }])
})

test.each([
  ['what cannot be decided here', { unevaluatedProperties: false }, '0A000'],
  ['a dynamic reference', { $dynamicRef: '#node' }, '0A000'],
  ['a schema elsewhere', { $ref: 'https://schemas.example.org/pump.json' }, '0A000'],
  ['a reference to nothing', { $ref: '#/$defs/none' }, '0A000'],
  ['a type that there is not', { type: 'text' }, '22023'],
  ['a pattern that is none', { pattern: '(' }, '2201B'],
  ['a schema that is only itself', { $ref: '#' }, '54001'],
])('%s is an error, and lets nothing through', async (_, schema, code) => {
  await expect(errorsOf(schema, 'a')).rejects.toMatchObject({ code })
})
