import { expect, test } from 'vitest'
import { findCircles, findUpwardImports } from './folder-order.ts'

const graph = (imports: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(imports))

test('an import from an earlier folder, the same folder or a file beside them is allowed', () => {
  const imports = graph({
    'limits.ts': [],
    'storage/rows.ts': ['limits.ts'],
    'stream/session.ts': ['stream/sink.ts', 'storage/rows.ts', 'limits.ts'],
    'stream/sink.ts': [],
    'sync.ts': ['stream/session.ts'],
  })
  expect(findUpwardImports(imports, ['storage', 'stream'])).toEqual([])
})

test('an import from a later folder is reported, also through a file beside them', () => {
  const imports = graph({
    'storage/rows.ts': ['stream/session.ts', 'tools.ts'],
    'stream/session.ts': [],
    'tools.ts': ['stream/session.ts'],
  })
  expect(findUpwardImports(imports, ['storage', 'stream'])).toEqual([
    'storage/rows.ts: may not import stream/session.ts, which belongs above it',
    'storage/rows.ts: may not import tools.ts, which belongs above it',
  ])
})

test('a folder without a place in the order is reported', () => {
  expect(findUpwardImports(graph({ 'fill/turns.ts': [] }), ['storage'])).toEqual([
    'fill/ has no place in the order of folders (scripts/folder-order.ts)',
  ])
})

test('a folder inside another has the place that it is given, or that of the folder around it', () => {
  const imports = graph({
    'lib/format.ts': [],
    'messages/grid.ts': ['lib/format.ts'],
    'lib/data/rows.ts': ['messages/grid.ts'],
    'lib/fields/dates.ts': ['messages/grid.ts'],
  })
  expect(findUpwardImports(imports, ['lib', 'messages', 'lib/data'])).toEqual([
    'lib/fields/dates.ts: may not import messages/grid.ts, which belongs above it',
  ])
})

test('a circle of imports is reported with its way round', () => {
  const imports = graph({ 'a.ts': ['b.ts'], 'b.ts': ['c.ts', 'd.ts'], 'c.ts': ['b.ts'], 'd.ts': [] })
  expect(findCircles(imports)).toEqual(['b.ts → c.ts → b.ts'])
  expect(findCircles(graph({ 'a.ts': ['b.ts', 'c.ts'], 'b.ts': ['c.ts'], 'c.ts': [] }))).toEqual([])
})
