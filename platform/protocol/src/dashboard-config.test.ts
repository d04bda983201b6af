import { describe, expect, test } from 'vitest'
import { readDashboard, renderDashboard } from './dashboard-config.ts'

const TILE = { id: 'a', kind: 'bar', table: 'actions', group: { field: 'state' }, width: 2, height: 1 }
const stored = (tiles: readonly unknown[], more: object = {}): string => JSON.stringify({ version: 1, tiles, ...more })

describe('readDashboard', () => {
  test.each([
    null,
    '',
    'x',
    '[]',
    '{"version":1}',
    '{"version":0,"tiles":[]}',
    '{"version":1,"tiles":[],"colour":"red"}',
  ])('says that %j is broken', (json) => {
    expect(readDashboard(json).kind).toBe('broken')
  })

  test('says that a later version is newer, whatever it holds', () => {
    expect(readDashboard('{"version":2,"pages":[]}')).toEqual({ kind: 'newer' })
  })

  test('keeps tiles that it does not know as they are, beside those that it does', () => {
    const gauge = { id: 'g', kind: 'gauge', needle: { colour: 'red' } }
    const read = readDashboard(stored([TILE, gauge]))
    expect(read).toMatchObject({ kind: 'read', config: { tiles: [TILE, { id: 'g', kind: 'unread' }] } })
    if (read.kind === 'read')
      expect(JSON.parse(renderDashboard(read.config))).toEqual({ version: 1, tiles: [TILE, gauge] })
  })

  test('undoes renderDashboard', () => {
    const config = {
      filters: [{ id: 'f', kind: 'date', field: 'due_on' }],
      tiles: [{ ...TILE, linked: { f: '' } }],
    } as const
    expect(readDashboard(renderDashboard(config as never))).toEqual({ kind: 'read', config })
  })
})
