import { expect, test } from 'vitest'
import { renderChange, type RenderedChange } from './render-change.ts'
import type { TableInfo } from './table-info.ts'

const NAMES = ['id', 'owner', 'body']

function tableWith(hasPolicies: boolean): TableInfo {
  return {
    schema: 'public',
    name: 'docs',
    oid: 1,
    columns: NAMES.map((name) => ({ name, type: 'text', isBytes: false, isComparable: true })),
    key: new Set(['id']),
    identity: undefined,
    hasPolicies,
    published: new Set(['UPDATE', 'DELETE']),
    roles: new Map(),
  }
}

const whole = { id: '1', owner: 'a', body: 'secret' }

test.each([
  ['UPDATE', true, { id: '1' }],
  ['DELETE', true, { id: '1' }],
  ['UPDATE', false, whole],
  ['DELETE', false, whole],
] as const)('an old row of an %s, with policies: %s, has %j', (kind, hasPolicies, expected) => {
  const change: RenderedChange = {
    kind,
    committedAtMs: 0,
    bytes: 10,
    cells: kind === 'UPDATE' ? ['"1"', '"b"', '"public now"'] : undefined,
    oldCells: ['"1"', '"a"', '"secret"'],
  }
  const access = { selectable: new Set(NAMES), condition: undefined, claims: [], links: undefined }
  const text = renderChange(tableWith(hasPolicies), access, undefined, change)
  expect((JSON.parse(text) as { old_record: unknown }).old_record).toEqual(expected)
  expect(text.includes('secret')).toBe(!hasPolicies)
})
