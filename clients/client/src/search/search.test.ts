import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { runsOf } from '@holdfast/test-support/runs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { candidatesSql } from './candidates.ts'
import { emptySearchIndex, type SearchedTable } from './search-tables.ts'
import { prepareIndex, readProgress, indexRows } from './index-rows.ts'

const SITES: SearchedTable = { table: 'sites', columns: ['name'] }
const TASKS: SearchedTable = { table: 'tasks', columns: ['title', 'detail'] }
const SEARCHED = [SITES, TASKS]

async function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-search-'))
  const database = new PowerSyncDatabase({
    schema: new Schema({
      sites: new Table({ name: column.text }),
      tasks: new Table({ title: column.text, detail: column.text, site_id: column.text }),
    }),
    database: { dbFilename: 'search.db', dbLocation: folder, implementation: { type: 'node:sqlite' } },
  })
  await database.init()
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Database = Awaited<ReturnType<typeof openDatabase>>['database']

const CONDITION = `(t.title like $1 escape '\\' or t.detail like $1 escape '\\'
  or (select name from sites where id = t.site_id) like $1 escape '\\')`

async function idsOf(database: Database, sql: string, values: readonly string[]): Promise<readonly string[]> {
  return (await database.getAll<{ id: string }>(sql, [...values])).map(({ id }) => id).sort()
}

/** Searches with the index and by scanning. */
async function findBoth(database: Database, word: string): Promise<readonly (readonly string[])[]> {
  const pattern = `%${word.replace(/[\\%_]/g, (letter) => `\\${letter}`)}%`
  const condition = CONDITION.replaceAll('$1', `?1`)
  const { text, values } = candidatesSql(TASKS, [{ column: 'site_id', searched: SITES }], word)
  const numbered = text.replaceAll('?', () => `?${(places += 1)}`)
  return [
    await idsOf(database, `select t.id from tasks t where t.id in (${numbered}) and ${condition}`, [
      pattern,
      ...values,
    ]),
    await idsOf(database, `select t.id from tasks t where ${condition}`, [pattern]),
  ]
}
let places = 1

async function takeInAll(database: Database): Promise<void> {
  while (await indexRows(database, SEARCHED));
}

const text = fc.oneof(
  fc.string({ minLength: 0, maxLength: 12, unit: fc.constantFrom(...'abAB%_\\"\'\n éÉß漢🦺') }),
  fc.constantFrom('Replace pump gasket', 'pumpe', 'PUMP', 'Überlauf', 'überlauf'),
)
const step = fc.oneof(
  fc.record({ kind: fc.constant('site' as const), id: fc.integer({ min: 0, max: 3 }), name: text }),
  fc.record({
    kind: fc.constant('task' as const),
    id: fc.integer({ min: 0, max: 8 }),
    title: fc.option(text),
    detail: fc.option(text),
    site: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({
    kind: fc.constant('delete' as const),
    table: fc.constantFrom('sites', 'tasks'),
    id: fc.integer({ min: 0, max: 8 }),
  }),
  fc.record({ kind: fc.constantFrom('take in' as const, 'prepare' as const, 'empty' as const) }),
)

async function perform(
  database: Database,
  action: typeof step extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  switch (action.kind) {
    case 'site':
      await database.execute(`insert or replace into ps_data__sites (id, data) values (?, json_object('name', ?))`, [
        `site-${action.id}`,
        action.name,
      ])
      return
    case 'task':
      await database.execute(
        `insert into ps_data__tasks (id, data) values (?1, json_object('title', ?2, 'detail', ?3, 'site_id', ?4))
         on conflict (id) do update set data = excluded.data`,
        [`task-${action.id}`, action.title, action.detail, `site-${action.site}`],
      )
      return
    case 'delete':
      await database.execute(`delete from ${action.table} where id = ?`, [`${action.table.slice(0, -1)}-${action.id}`])
      return
    case 'take in':
      await indexRows(database, SEARCHED)
      return
    case 'prepare':
      await prepareIndex(database, SEARCHED)
      return
    case 'empty':
      await emptySearchIndex(database)
      return
    default:
      throw new Error('unknown step')
  }
}

test('a word finds the same rows with the index as without it, whatever changed and however far the index is', async () => {
  await using opened = await openDatabase()
  const { database } = opened
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.array(
        text.filter((word) => [...word].length >= 3),
        { minLength: 1, maxLength: 4 },
      ),
      async (steps, words) => {
        await prepareIndex(database, [])
        await database.execute('delete from ps_data__tasks')
        await database.execute('delete from ps_data__sites')
        await prepareIndex(database, SEARCHED)
        for (const action of steps) {
          await perform(database, action)
        }
        for (const word of words) {
          places = 1
          const [indexed, compared] = await findBoth(database, word)
          expect(indexed).toEqual(compared)
        }
        await takeInAll(database)
        for (const word of words) {
          places = 1
          const [indexed, compared] = await findBoth(database, word)
          expect(indexed).toEqual(compared)
        }
      },
    ),
    { numRuns: runsOf(30) },
  )
})

test('a word finds what is written in the other case, in any script', async () => {
  await using opened = await openDatabase()
  const { database } = opened
  await database.execute(`insert into sites (id, name) values ('s1', 'Überlauf'), ('s2', 'НАСОС'), ('s3', 'Größe')`)
  await prepareIndex(database, SEARCHED)
  await takeInAll(database)
  for (const [word, id] of [
    ['überlauf', 's1'],
    ['ÜBER', 's1'],
    ['насос', 's2'],
    ['GRÖ', 's3'],
  ] as const) {
    const { text, values } = candidatesSql(SITES, [], word)
    expect(await idsOf(database, text, values)).toEqual([id])
  }
})

test('a pasted text asks the index for a bounded number of trigrams, and finds its row', async () => {
  await using opened = await openDatabase()
  const { database } = opened
  const long = Array.from({ length: 2_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
  for (const [id, detail] of [
    ['whole', `see ${long}.`],
    ['other', [...long].toReversed().join('')],
  ])
    await database.execute(
      `insert into ps_data__tasks (id, data) values (?, json_object('title', 'pump', 'detail', ?))`,
      [id, detail],
    )
  await prepareIndex(database, SEARCHED)
  await takeInAll(database)
  const { text: sql, values } = candidatesSql(TASKS, [], long)
  expect(values[0]?.split(' AND ').length).toBeLessThan(100)
  expect(await idsOf(database, sql, values)).toEqual(['whole'])
})

test('rows are taken in by the few, and the progress says how many', async () => {
  await using opened = await openDatabase()
  const { database } = opened
  await database.execute(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 700)
    insert into ps_data__tasks (id, data) select 'task-' || i, json_object('title', 'pump ' || i) from n`)
  await prepareIndex(database, SEARCHED)
  expect(await readProgress(database, SEARCHED)).toEqual({ rows: 700, taken: 0 })
  expect(await indexRows(database, SEARCHED)).toBe(true)
  await indexRows(database, SEARCHED)
  expect((await readProgress(database, SEARCHED)).taken).toBe(250)
  await takeInAll(database)
  expect(await readProgress(database, SEARCHED)).toEqual({ rows: 700, taken: 700 })
  const { text: sql, values } = candidatesSql(TASKS, [], 'pump 699')
  expect(await idsOf(database, sql, values)).toEqual(['task-699'])
})

test('other columns begin the index of a table again, and a table that is no longer searched leaves nothing behind', async () => {
  await using opened = await openDatabase()
  const { database } = opened
  await database.execute(
    `insert into ps_data__tasks (id, data) values ('task-1', json_object('title', 'pump', 'detail', 'gasket'))`,
  )
  const titles: SearchedTable = { table: 'tasks', columns: ['title'] }
  await prepareIndex(database, [titles])
  while (await indexRows(database, [titles]));
  const found = async (word: string): Promise<readonly string[]> => {
    const { text: sql, values } = candidatesSql(TASKS, [], word)
    return idsOf(database, sql, values)
  }
  await prepareIndex(database, SEARCHED)
  await takeInAll(database)
  expect(await found('gasket')).toEqual(['task-1'])
  expect(await found('other')).toEqual([])
  await prepareIndex(database, [])
  expect(await database.getAll(`select rowid from hf_search`)).toEqual([])
  expect(await database.getAll(`select * from hf_search_rows`)).toEqual([])
  await database.execute(`update tasks set title = 'x'`)
  expect(await database.getAll(`select * from hf_search_due`)).toEqual([])
})
