import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Field, fieldsOf } from '../../../lib/fields/field.ts'
import { testColumn, testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../../lib/filters/filter.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { cellsOver, type Extent, extentSql, recordsAtSql, type Spot, spotsSql } from './map-sql.ts'
import { type PointFields, pointFields, pointFieldsOf, renderPoint } from '../../../lib/map/point-fields.ts'

const TABLE = testTable('wells', [
  testColumn('name', 'text'),
  testColumn('lat', 'double precision'),
  testColumn('lon', 'double precision'),
  testColumn('spot', 'point'),
  testColumn('geom', 'geometry(Point,4326)'),
  testColumn('location', 'jsonb'),
])
const FIELDS: readonly Field[] = fieldsOf(TABLE, { version: '1', tables: [TABLE] })
const QUERY: GridQuery = {
  table: 'wells',
  fields: FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [],
  today: '2026-11-20',
}
/** The same places in every supported format. */
const PLACES = [
  ['1', 'one', -1.5, 53.5],
  ['2', 'two', -1.5001, 53.5001],
  ['3', 'three', 2.25, 48.9],
] as const

function openWells(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec('create table wells (id, name, lat, lon, spot, geom, location)')
  const insert = database.prepare('insert into wells values (?, ?, ?, ?, ?, ?, ?)')
  for (const [id, name, lon, lat] of PLACES) {
    const json = id === '1' ? { lat, lng: lon } : { type: 'Point', coordinates: [lon, lat] }
    insert.run(id, name, lat, lon, `(${lon},${lat})`, `SRID=4326;POINT(${lon} ${lat})`, JSON.stringify(json))
  }
  insert.run('4', 'nowhere', null, 5, null, null, null)
  insert.run('5', 'unread', null, null, '(x', '0101000020E6100000', 'no json')
  return database
}

function ask<Row>({ text, values }: SqlPart): readonly Row[] {
  using database = openWells()
  return database.prepare(text).all(...values) as Row[]
}

const WORLD = { west: -180, east: 180, south: -90, north: 90 }

test('a map goes by two numbers that are named like a pair, by points, by texts of PostGIS and by JSON', () => {
  expect(pointFields(FIELDS).map(renderPoint)).toEqual(['lat,lon', 'spot', 'location', 'geom'].toSorted(byPlace))
  expect(pointFieldsOf(FIELDS, 'spot')?.kind).toBe('point')
  expect(pointFieldsOf(FIELDS, 'lon,lat')).toMatchObject({ kind: 'pair', lat: { name: 'lon' } })
  expect(pointFieldsOf(FIELDS, 'gone')?.kind).toBe('pair')
  expect(pointFieldsOf([], undefined)).toBeUndefined()
})

function byPlace(a: string, b: string): number {
  const at = (text: string): number => FIELDS.findIndex(({ name }) => name === text.split(',')[0])
  return Number(b.includes(',')) - Number(a.includes(',')) || at(a) - at(b)
}

test.each(pointFields(FIELDS).map((point) => [renderPoint(point), point] as const))(
  'records that are near to each other are one spot, by %s',
  (_, point: PointFields) => {
    const far = ask<Spot>(spotsSql(QUERY, point, cellsOver(WORLD, 1, 1)))
    expect(far.map((spot) => [spot['#count'], Number(spot['#lon'].toFixed(2)), spot['#lat'].toFixed(1)])).toEqual([
      [2, -1.5, '53.5'],
      [1, 2.25, '48.9'],
    ])
    expect(far[1]?.['name']).toBe('three')
    const near = { west: -1.6, east: -1.4, south: 53.4, north: 53.6 }
    expect(ask<Spot>(spotsSql(QUERY, point, cellsOver(near, 0.0001, 0.0001)))).toHaveLength(2)
    expect(ask<Extent>(extentSql(QUERY, point))[0]).toMatchObject({ west: -1.5001, north: 53.5001, placed: 3 })
    expect(ask<Spot>(recordsAtSql(QUERY, point, near, 10)).map(({ id }) => id)).toEqual(['1', '2'])
  },
)

test('cells stay where they are when the map is moved', () => {
  const here = cellsOver({ west: 0.3, east: 2.2, south: -1.2, north: 0.1 }, 0.5, 0.5)
  expect(here).toMatchObject({ west: 0, east: 2.5, south: -1.5, north: 0.5 })
  expect(cellsOver({ west: 0.4, east: 2.4, south: -1.4, north: 0.2 }, 0.5, 0.5)).toEqual(here)
})
