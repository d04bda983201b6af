import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, type CommonPowerSyncDatabase, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { createValue } from '../value.ts'
import { type ChooseSearched, openSearch } from './open-search.ts'

const SCHEMA = createValue<SchemaDescriptor>({ version: '1', tables: [] })
const PATIENCE = { timeout: 20_000 }

/** A device with 600 tasks after its first sync. */
async function openDevice(searched: ChooseSearched) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-open-search-'))
  const opened = new PowerSyncDatabase({
    schema: new Schema({ tasks: new Table({ title: column.text, detail: column.text }) }),
    database: { dbFilename: 'search.db', dbLocation: folder, implementation: { type: 'node:sqlite' } },
  })
  await opened.init()
  await opened.execute(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
    insert into ps_data__tasks (id, data) select 'task-' || i, json_object('title', 'pump ' || i) from n`)
  const synced: CommonPowerSyncDatabase = new Proxy(opened, {
    get(target, name) {
      if (name === 'currentStatus') return { hasSynced: true, downloading: false }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
  const problems: unknown[] = []
  const search = openSearch(synced, {
    userId: folder,
    schema: SCHEMA,
    searched,
    onProblem: (error) => problems.push(error),
  })
  return {
    database: opened,
    search,
    problems,
    async found(word: string): Promise<readonly string[] | undefined> {
      const candidates = search.candidates('tasks', [], word)
      if (!candidates) return undefined
      const rows = await opened.getAll<{ id: string }>(candidates.text, [...candidates.values])
      return rows.map(({ id }) => id)
    },
    async [Symbol.asyncDispose]() {
      search[Symbol.dispose]()
      await opened.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test('the index is made in the background, then follows the rows, and begins again with other columns', async () => {
  const searched = { columns: ['title'] }
  await using device = await openDevice(() => [{ table: 'tasks', columns: searched.columns }])
  const { database, search } = device
  expect(search.state.get()).toEqual({ kind: 'building', share: 0 })
  await expect.poll(() => search.state.get(), PATIENCE).toEqual({ kind: 'ready' })
  expect(await device.found('pump 599')).toEqual(['task-599'])
  expect(search.candidates('tasks', [], 'pu'), 'a word without a trigram').toBeUndefined()
  expect(search.candidates('sites', [], 'pump'), 'a table that is not searched').toBeUndefined()

  await database.execute(`update tasks set title = 'motor', detail = 'gasket' where id = 'task-7'`)
  expect(await device.found('motor')).toEqual(['task-7'])
  await expect.poll(() => database.getAll('select * from hf_search_due'), PATIENCE).toEqual([])
  expect(await device.found('motor')).toEqual(['task-7'])

  searched.columns = ['detail', 'title']
  SCHEMA.set({ version: '2', tables: [] })
  await expect.poll(() => device.found('gasket'), PATIENCE).toEqual(['task-7'])
  await expect.poll(() => search.state.get(), PATIENCE).toEqual({ kind: 'ready' })
  expect(device.problems).toEqual([])
})

test('what cannot be indexed is told once, and all rows are compared', async () => {
  await using device = await openDevice(() => [{ table: 'tasks', columns: ['no such column'] }])
  await expect.poll(() => device.search.state.get(), PATIENCE).toEqual({ kind: 'absent' })
  expect(device.problems).toHaveLength(1)
  const all = await device.found('pump 1')
  expect(all === undefined || all.length === 600).toBe(true)
})
