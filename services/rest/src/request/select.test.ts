import { describe, expect, test } from 'vitest'
import { createScanner } from './scanner.ts'
import { parseSelect } from './select.ts'

const parse = (text: string) => parseSelect(createScanner(text, 'select parameter'))

describe('parseSelect', () => {
  test.each([
    ['id,'],
    [',id'],
    ['id name!'],
    ['a('],
    ['a(b'],
    ['a!b'],
    ['...a'],
    [':a'],
    ['a::'],
    ['a->'],
    ['a->>'],
    ['"'],
    ['""'],
    ['a.sum'],
    [`${'a('.repeat(20)}${')'.repeat(20)}`],
  ])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'PGRST100', status: 400 }) as Error)
  })

  test.each([
    ['', []],
    ['*', [{ kind: 'star' }]],
    ['a, b', [{ field: { name: 'a' } }, { field: { name: 'b' } }]],
    ['x:a', [{ alias: 'x', field: { name: 'a' } }]],
    ['a::int', [{ alias: undefined, field: { name: 'a' }, cast: 'int' }]],
    [
      'x:a->b->>0::numeric',
      [
        {
          alias: 'x',
          field: { name: 'a', path: [{ operand: { key: 'b' } }, { operand: { index: '0' } }] },
          cast: 'numeric',
        },
      ],
    ],
    ['a->b-c', [{ field: { path: [{ arrow: '->', operand: { key: 'b-c' } }] } }]],
    ['"a,b":"c d"', [{ alias: 'a,b', field: { name: 'c d' } }]],
    ['some-name', [{ field: { name: 'some-name' } }]],
    ['count()', [{ aggregate: 'count', field: { name: '*' } }]],
    ['a.sum()', [{ aggregate: 'sum', field: { name: 'a' } }]],
    ['t(*)', [{ kind: 'embed', target: 't', select: [{ kind: 'star' }], spread: false }]],
    [
      'x:t!h!inner(a,u(b))',
      [{ alias: 'x', target: 't', hint: 'h', join: 'inner', select: [{}, { kind: 'embed', target: 'u' }] }],
    ],
    ['t!left()', [{ join: 'left', hint: undefined, select: [] }]],
    ['...t(a)', [{ kind: 'embed', spread: true }]],
    ['a)', [{ field: { name: 'a' } }]],
    ['a(b)c', [{ kind: 'embed', target: 'a' }]],
    ['s:a->>b::int.sum()::text', [{ alias: 's', aggregate: 'sum', cast: 'int', aggregateCast: 'text' }]],
    ['t(a->0)', [{ select: [{ field: { path: [{ operand: { kind: 'index', index: '0' } }] } }] }]],
    ['t(count)', [{ kind: 'embed', select: [{ kind: 'field', field: { name: 'count' } }] }]],
  ])('reads %j', (text, items) => {
    expect(parse(text)).toMatchObject(items)
  })
})
