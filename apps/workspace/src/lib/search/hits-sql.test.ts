import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { toTableInfo } from '../data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_SITES, TEST_TASKS } from '../fields/test-fields.test-support.ts'
import { factColumns, factWords, hitFactsOf } from './hit-facts.ts'
import { type HitRow, hitsSql, type TableSearch } from './hits-sql.ts'
import { hasWords, searchedColumns, wordsOf } from './word-sql.ts'

const TASKS = toTableInfo(TEST_TASKS)
const SITES = toTableInfo(TEST_SITES)

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table sites (id text, name text);
    create table tasks (id text, title text, state text, site_id text, contact_email text, website text, detail text);
    insert into sites values ('s1', 'Elm Road'), ('s2', 'Pump hill');
    insert into tasks (id, title, site_id, detail) values
      ('t1', 'Replace the pump', 's1', null), ('t2', 'Pump room', 's1', 'Elm leaves'), ('t3', 'Lock', 's2', '50% done'),
      ('t4', null, null, 'a pump without a name')`)
  return database
}

const search = (text: string, more: Partial<TableSearch> = {}): TableSearch => ({
  table: TASKS,
  columns: searchedColumns(TEST_FIELDS),
  words: wordsOf(text),
  candidates: () => undefined,
  facts: factColumns(hitFactsOf(TASKS, TEST_SCHEMA)),
  limit: 10,
  ...more,
})

function find(...searches: readonly TableSearch[]): readonly HitRow[] {
  using database = openDatabase()
  const { text, values } = hitsSql(searches)
  return database.prepare(text).all(...values) as unknown as readonly HitRow[]
}

test('titles that begin with the word come first, and links count by what they are called', () => {
  expect(find(search('pump')).map(({ id }) => id)).toEqual(['t2', 't3', 't1', 't4'])
})

test('every word has to be there, in any order; wildcards are letters', () => {
  expect(find(search('elm pump')).map(({ id }) => id)).toEqual(['t2', 't1'])
  expect(find(search('50%')).map(({ id }) => id)).toEqual(['t3'])
  expect(find(search('_')).map(({ id }) => id)).toEqual([])
})

test('a pasted text is searched by its beginning, however long it and its words are', () => {
  expect(find(search('pump room '.repeat(1_000))).map(({ id }) => id)).toEqual(['t2'])
  expect(find(search(`pump ${'🦺'.repeat(30_000)}`))).toEqual([])
})

test('a hit still fits when more is typed as long as its texts have the words, in any script', () => {
  expect(hasWords(['Pump room', 'A-7'], ['PUMP', 'a-7'])).toBe(true)
  expect(hasWords(['Pump room', 'A-7'], ['pump', 'lock'])).toBe(false)
  expect(hasWords(['ΟΔΟΣΤΡΩΜΑ'], ['ΟΔΟΣ'])).toBe(true)
})

test('records with equal titles differ by the record they link to and their state', () => {
  using database = openDatabase()
  database.exec(`insert into tasks (id, title, site_id, state) values
    ('t5', 'Valve', 's1', 'open'), ('t6', 'Valve', 's2', 'to_verify'), ('t7', 'Valve', null, null)`)
  const { text, values } = hitsSql([search('valve')])
  const hits = database.prepare(text).all(...values) as unknown as readonly HitRow[]
  const facts = hitFactsOf(TASKS, TEST_SCHEMA)
  expect(hits.map((hit) => factWords(facts, hit))).toEqual(['Elm Road · Open', 'Pump hill · To verify', ''])
})

test('a hit says in which other text the word is', () => {
  expect(find(search('elm')).map(({ id, text }) => [id, text])).toEqual([
    ['t2', 'Elm Road'],
    ['t1', 'Elm Road'],
  ])
  expect(find(search('lock'))).toEqual([
    { place: 0, id: 't3', title: 'Lock', code: null, link: 'Pump hill', state: null, text: null },
  ])
})

test('several tables are asked at once, each for its share', () => {
  const hits = find(
    search('pump', { limit: 1 }),
    search('pump', {
      table: SITES,
      columns: ['t."name"'],
      facts: factColumns(hitFactsOf(SITES, TEST_SCHEMA)),
    }),
  )
  expect(hits.map(({ place, id }) => [place, id])).toEqual([
    [0, 't2'],
    [1, 's2'],
  ])
})
