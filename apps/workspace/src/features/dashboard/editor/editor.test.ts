import { dashboardProblem, type DashboardTile } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { resolveTile } from '../data/resolve-tile.ts'
import { moveTile, resizeTile } from './layout-changes.ts'
import { proposeTiles } from './propose-tiles.ts'

const field = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name,
  label: name,
  help: undefined,
  kind,
  column: {
    name,
    type: kind,
    local: kind === 'number' ? 'real' : 'text',
    nullable: true,
    hasDefault: false,
    generated: false,
  },
  choices: [],
  choiceWords: new Map(),
  link: undefined,
  isSystem: false,
  isEditable: true,
  isRequired: false,
  isTitle: false,
  ...more,
})
const table = { name: 'jobs', label: 'Jobs', many: 'jobs', noun: 'job' } as TableInfo
const title = field('title', 'text', { isTitle: true })
const state = field('state', 'choice', { choices: ['open', 'done'] })
const created = field('created_at', 'datetime', { isSystem: true })

const due = field('due_on', 'date', { use: 'due' })

describe('proposed tiles', () => {
  test.each([
    ['a table of work', [title, state, due, field('hours', 'number'), created]],
    ['a plain table', [title, created]],
    ['a table with one choice', [title, state, created]],
    ['a table without a creation date', [title]],
  ])('of %s can be stored and shown', (_, fields) => {
    const tiles = proposeTiles(table, fields, new Map())
    expect(dashboardProblem({ version: 1, tiles })).toBeUndefined()
    for (const tile of tiles)
      expect(resolveTile(tile, table, fields, { kind: 'all', nodes: [] }, '2026-11-29')).not.toHaveProperty('problem')
  })

  test('of a table of work are numbers of what is open and late, charts, and what comes next', () => {
    const tiles = proposeTiles(table, [title, state, due, created], new Map())
    expect(tiles.map(({ kind, filter }) => [kind, filter])).toEqual([
      ['number', 'all(state.notin.done)'],
      ['number', 'all(state.notin.done,due_on.before.today)'],
      ['number', 'all(state.notin.done,due_on.after.today-1,due_on.before.today+7)'],
      ['bar', undefined],
      ['line', undefined],
      ['table', 'all(state.notin.done)'],
    ])
  })
})

const tile = (id: string): DashboardTile => ({ id, kind: 'number', table: 'jobs', width: 1, height: 1 })
const tiles = ['a', 'b', 'c'].map(tile)

test.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 9, 'acb'],
  [1, -4, 'bac'],
  [5, 0, 'abc'],
])('a tile moves from place %i to %i', (from, to, order) => {
  expect(
    moveTile(tiles, from, to)
      .map(({ id }) => id)
      .join(''),
  ).toBe(order)
})

test('a tile keeps a size that the grid has', () => {
  expect(resizeTile(tiles, 'b', 9, 0)[1]).toMatchObject({ width: 4, height: 1 })
})
