import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { readLinkIds } from './read-link-ids.ts'

const site = testField('site_id')
const cells = (...rows: readonly (readonly string[])[]): readonly (readonly { readonly text: string }[])[] =>
  rows.map((row) => row.map((text) => ({ text })))

function sites(...names: readonly string[]): {
  readonly asked: string[]
  getAll<T>(sql: string, values?: unknown[]): Promise<T[]>
} {
  const database = new DatabaseSync(':memory:')
  database.exec('create table sites (id text, name text)')
  names.forEach((name, index) => database.prepare('insert into sites values (?, ?)').run(`s${index}`, name))
  const asked: string[] = []
  return {
    asked,
    getAll: async <T>(sql: string, values: unknown[] = []) => {
      asked.push(...values.map(String))
      return database.prepare(sql).all(...values.map(String)) as T[]
    },
  }
}

test('a pasted title names its record without regard to case and spaces', async () => {
  const idOf = await readLinkIds(sites('Elmcroft', 'Oakridge'), [site], cells([' elmCROFT '], ['Oakridge']))
  expect([idOf(site, 'Elmcroft'), idOf(site, ' oakridge'), idOf(site, 'Ash')]).toEqual([['s0'], ['s1'], []])
})

test('a title is found whose capitals are none of ASCII, as SQLite compares them', async () => {
  const names = ['Ärztehaus Süd', 'Østerbro', 'Насосная']
  const idOf = await readLinkIds(sites(...names), [site], cells(...names.map((name) => [name])))
  expect(names.map((name) => idOf(site, name))).toEqual([['s0'], ['s1'], ['s2']])
})

test('a title of two records names both', async () => {
  const idOf = await readLinkIds(sites('Elmcroft', 'ELMCROFT'), [site], cells(['Elmcroft']))
  expect(idOf(site, 'Elmcroft')).toEqual(['s0', 's1'])
})

test('one cell is looked up for every field it is pasted into; nothing is asked for empty cells or other fields', async () => {
  const database = sites('Elmcroft')
  const idOf = await readLinkIds(database, [testField('title'), site], cells(['Elmcroft']))
  expect(idOf(site, 'Elmcroft')).toEqual(['s0'])
  const nothing = sites('Elmcroft')
  await readLinkIds(nothing, [testField('title'), site], cells(['Elmcroft', ' '], ['Elmcroft', '']))
  expect(nothing.asked).toEqual([])
})
