import { DatabaseSync } from 'node:sqlite'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { metresBetween, nearestSql, positionOf } from './located-tables.ts'

const column = (name: string, type: string): ColumnDescriptor => ({
  name,
  type,
  local: type === 'text' ? 'text' : 'real',
  nullable: true,
  hasDefault: false,
  generated: false,
})
const table = (...columns: readonly ColumnDescriptor[]): TableDescriptor => ({
  name: 'halls',
  schema: 'public',
  table: 'halls',
  columns: [column('id', 'uuid'), ...columns],
  can: { insert: true, update: true, delete: true },
  indexes: [],
})

test('a table has positions when two columns of numbers have the usual names', () => {
  expect(positionOf(table(column('latitude', 'numeric(9,6)'), column('lng', 'real')))).toEqual({
    lat: 'latitude',
    lon: 'lng',
  })
  expect(positionOf(table(column('lat', 'double precision')))).toBeUndefined()
  expect(positionOf(table(column('lat', 'text'), column('lon', 'text')))).toBeUndefined()
})

test('distances are those of the earth', () => {
  const [paris, london] = [
    { lat: 48.8566, lon: 2.3522 },
    { lat: 51.5074, lon: -0.1278 },
  ]
  expect(metresBetween(paris, london) / 1_000).toBeCloseTo(343.6, 0)
  expect(metresBetween(paris, paris)).toBe(0)
})

test('the nearest come first, also across the date line, and records without a position do not come', () => {
  const halls = table(column('name', 'text'), column('lat', 'double precision'), column('lon', 'double precision'))
  using database = new DatabaseSync(':memory:')
  database.exec(`create table halls (id, name, lat, lon);
    insert into halls values ('far', 'Far', 0, 170), ('east', 'East', 0, -179.9), ('here', 'Here', 0, 179.8), ('nowhere', 'Nowhere', null, null)`)
  const { sql, parameters } = nearestSql(halls, { lat: 'lat', lon: 'lon' }, 'name', { lat: 0, lon: 179.9 }, 5)
  expect(
    database
      .prepare(sql)
      .all(...parameters)
      .map(({ title }) => title),
  ).toEqual(['Here', 'East', 'Far'])
})
