import { expect, test } from 'vitest'
import { longFirst, type FileTurn } from './long-files-first.ts'

const pg = (path: string): FileTurn => ({ path, project: 'pg', group: 1, isIsolated: false })

test('the longest files of a project begin first, and all others stay in their order', () => {
  const files = ['large', 'long', 'small', 'longest'].map(pg)
  const sorted = files.toSorted(longFirst({ long: 20, longest: 30 }))
  expect(sorted.map(({ path }) => path)).toEqual(['longest', 'long', 'large', 'small'])
})

test('groups come one after the other, and files with a worker each first in their group', () => {
  const unit: FileTurn = { path: 'unit', project: 'unit', group: 0, isIsolated: false }
  const mocks: FileTurn = { path: 'mocks', project: 'pg-mocks', group: 1, isIsolated: true }
  const conformance: FileTurn = { path: 'conformance', project: 'conformance', group: 1, isIsolated: false }
  const sorted = [pg('pg'), conformance, mocks, unit].toSorted(longFirst({ pg: 100 }))
  expect(sorted.map(({ path }) => path)).toEqual(['unit', 'mocks', 'conformance', 'pg'])
})
