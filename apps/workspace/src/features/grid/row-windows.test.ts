import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { TEST_FIELDS, TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import { NO_FILTER } from '../../lib/filters/filter.ts'
import type { GridQuery } from './query/grid-query.ts'
import type { RowSource } from './row-reader.ts'
import { RowWindows } from './row-windows.ts'
import { WINDOW_ROWS, WindowCache, WINDOWS_MAX } from './window-cache.ts'
import { wantedWindows, windowsInSight } from './window-numbers.ts'

const view = (more: Partial<GridQuery> = {}): GridQuery => ({
  table: 'tasks',
  fields: TEST_FIELDS,
  search: '',
  filter: NO_FILTER,
  sorts: [{ field: 'points', isDescending: false }],
  today: '2026-11-20',
  ...more,
})

/** A local database like the SDK's, backed by in-memory SQLite. Tests can hold and release reads. */
class TestDatabase implements Disposable {
  readonly #sqlite = new DatabaseSync(':memory:')
  readonly reads: string[] = []
  watched: readonly string[] = []
  broken: Error | undefined
  #onChange: (() => unknown) | undefined
  #gate: Promise<void> = Promise.resolve()
  #held: { readonly text: string; readonly until: Promise<void> } | undefined

  constructor(rows: number) {
    const columns = TEST_TASKS.columns.map(({ name }) => `"${name}"`).join(', ')
    this.#sqlite.exec(`create table tasks (${columns}); create table sites (id text, name text)`)
    const insert = this.#sqlite.prepare('insert into tasks (id, title, points) values (?, ?, ?)')
    for (let index = 0; index < rows; index++) insert.run(idOf(index), `task ${index}`, index)
  }

  readonly #reads = {
    get: async (sql: string, values: readonly (string | number | null)[] = []) => (await this.#read(sql, values))[0],
    getAll: (sql: string, values: readonly (string | number | null)[] = []) => this.#read(sql, values),
  }

  readonly source = {
    ...this.#reads,
    urgent: this.#reads,
    onChange: (handler: { onChange: () => unknown }, { tables }: { tables: readonly string[] }) => {
      this.watched = tables
      this.#onChange = handler.onChange
      return () => {
        this.#onChange = undefined
      }
    },
  } as unknown as RowSource

  /** Writes and notifies, as the SDK does. */
  async write(sql: string): Promise<void> {
    this.#sqlite.exec(sql)
    await this.#onChange?.()
  }

  /** Holds every read from now on. @returns a function that releases them */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gate = promise
    return resolve
  }

  /** Holds only reads that contain this text. @returns a function that releases them */
  holdOnly(text: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = { text, until: promise }
    return resolve
  }

  [Symbol.dispose](): void {
    this.#sqlite.close()
  }

  async #read(sql: string, values: readonly (string | number | null)[]): Promise<unknown[]> {
    this.reads.push(sql)
    const { broken } = this
    await this.#gate
    if (this.#held && sql.includes(this.#held.text)) await this.#held.until
    if (broken) throw broken
    return this.#sqlite.prepare(sql).all(...values)
  }
}

const idOf = (index: number): string => `t${String(index).padStart(6, '0')}`
const open: Disposable[] = []
function openWindows(rows: number, query = view()): { readonly database: TestDatabase; readonly windows: RowWindows } {
  const database = new TestDatabase(rows)
  const windows = new RowWindows(database.source, query)
  open.push(database, windows)
  return { database, windows }
}
afterEach(() => {
  for (const one of open.splice(0).toReversed()) one[Symbol.dispose]()
})

describe('the windows of a view', () => {
  test('are read around the visible rows, and one more on each side', async () => {
    const { windows } = openWindows(1_000)
    await expect.poll(() => windows.getState().count).toBe(1_000)
    windows.show(450, 480)
    await expect.poll(() => windows.row(WINDOW_ROWS * 3)?.id).toBe(idOf(300))
    await expect.poll(() => windows.row(599)?.id).toBe(idOf(599))
    expect([windows.row(450)?.id, windows.indexOf(idOf(455))]).toEqual([idOf(450), 455])
    expect([windows.row(250), windows.indexOf(idOf(250))]).toEqual([undefined, undefined])
  })

  test('stay current: a row that comes moves the others, and unchanged rows stay the same objects', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(2)?.id).toBe(idOf(2))
    const [first, third] = [windows.row(0), windows.row(2)]
    await database.write(`insert into tasks (id, title, points) values ('new', 'new', 0.5)`)
    expect([windows.getState().count, windows.row(1)?.id, windows.indexOf(idOf(2))]).toEqual([4, 'new', 3])
    expect(windows.row(0)).toBe(first)
    expect(windows.row(3)).toBe(third)
  })

  test('tell no listener when nothing in sight has changed', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(2)?.id).toBe(idOf(2))
    const before = windows.getState()
    await database.write(`update tasks set title = title`)
    expect(windows.getState()).toBe(before)
  })

  test('show a local write at once, and the database has the last word', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(1)?.id).toBe(idOf(1))
    windows.patch(idOf(1), { title: 'typed' })
    expect(windows.row(1)?.['title']).toBe('typed')
    await database.write(`update tasks set title = 'as the database has it' where id = '${idOf(1)}'`)
    expect(windows.row(1)?.['title']).toBe('as the database has it')
  })

  test('keep what was typed while it is being stored, whatever is read meanwhile, the latest of two', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(1)?.id).toBe(idOf(1))
    const release = [windows.hold(idOf(1), { title: 'typed first' }), windows.hold(idOf(1), { title: 'typed last' })]
    await database.write(`update tasks set title = 'typed first' where id = '${idOf(1)}'`)
    expect(windows.row(1)?.['title']).toBe('typed last')
    release[0]?.()
    await database.write(`update tasks set points = 9 where id = '${idOf(2)}'`)
    expect(windows.row(1)?.['title']).toBe('typed last')
    release[1]?.()
    await database.write(`update tasks set title = 'as the database has it' where id = '${idOf(1)}'`)
    expect(windows.row(1)?.['title']).toBe('as the database has it')
  })

  test('never show the answer of an older view, however late it comes', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(0))
    const release = database.hold()
    windows.setQuery(view({ search: 'task 1' }))
    windows.setQuery(view({ sorts: [{ field: 'points', isDescending: true }] }))
    expect(windows.row(0)?.id).toBe(idOf(0)) // the old rows stay until the new ones arrive
    release()
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(2))
    expect(windows.getState().count).toBe(3)
  })

  test('are read once when the same query is set while they open', async () => {
    const { database, windows } = openWindows(3)
    windows.setQuery(view())
    await expect.poll(() => windows.getState().count).toBe(3)
    expect(database.reads).toHaveLength(1)
  })

  test('look only at the rows that an index names, unless it names so many that comparing all is faster', async () => {
    const named = { text: 'select ? as id', values: [idOf(7)] }
    const candidates = (few: 0 | 1) => () => ({ ...named, few: { text: `select ${few} as few`, values: [] } })
    const { windows } = openWindows(30, view({ search: 'task', candidates: candidates(1) }))
    await expect.poll(() => windows.getState().count).toBe(1)
    windows.setQuery(view({ search: 'task', candidates: candidates(0) }))
    await expect.poll(() => windows.getState().count).toBe(30)
  })

  test('show the first rows before all are counted, and count no view whose rows they are', async () => {
    const database = new TestDatabase(1_000)
    const counts = database.holdOnly('count(*)')
    const windows = new RowWindows(database.source, view())
    open.push(database, windows)
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(0))
    expect(windows.getState()).toMatchObject({ count: undefined, rows: WINDOW_ROWS })
    windows.setQuery(view({ search: 'task 99' }))
    await expect.poll(() => windows.getState()).toMatchObject({ count: undefined, rows: WINDOW_ROWS })
    counts()
    await expect.poll(() => windows.getState()).toMatchObject({ count: 19, rows: 19 })
    expect(database.reads.filter((sql) => sql.includes('count(*)'))).toHaveLength(1)
  })

  test('keep the length of the last view until the next one has been counted', async () => {
    const { database, windows } = openWindows(1_000)
    await expect.poll(() => windows.getState().count).toBe(1_000)
    const counts = database.holdOnly('count(*)')
    windows.setQuery(view({ sorts: [{ field: 'points', isDescending: true }] }))
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(999))
    expect(windows.getState()).toMatchObject({ count: undefined, rows: 1_000 })
    counts()
    await expect.poll(() => windows.getState().count).toBe(1_000)
  })

  test('ask only for the last of the views that come while one is read', async () => {
    const { database, windows } = openWindows(3)
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(0))
    const release = database.hold()
    const before = database.reads.length
    for (let index = 0; index < 10; index++) {
      windows.setQuery(view({ sorts: [{ field: index === 9 ? 'title' : 'points', isDescending: true }] }))
    }
    release()
    await expect.poll(() => windows.row(0)?.id).toBe(idOf(2))
    await expect.poll(() => database.reads.length - before).toBe(1)
  })

  test('forget that nothing fitted when another view is asked for', async () => {
    const { database, windows } = openWindows(2, view({ search: 'nothing like it' }))
    await expect.poll(() => windows.getState().count).toBe(0)
    const release = database.hold()
    windows.setQuery(view())
    expect(windows.getState().count).toBeUndefined()
    release()
    await expect.poll(() => windows.getState().count).toBe(2)
  })

  test('say why they cannot be read, and recover with the next change', async () => {
    const { database, windows } = openWindows(2)
    await expect.poll(() => windows.getState().count).toBe(2)
    database.broken = new Error('no such column')
    await database.write('select 1')
    expect(windows.getState().error).toEqual(new Error('no such column'))
    database.broken = undefined
    await database.write('select 1')
    expect(windows.getState()).toMatchObject({ error: undefined, count: 2 })
  })

  test('watch the table and those that its links are called by, and nothing once they are closed', async () => {
    const { database, windows } = openWindows(2)
    await expect.poll(() => windows.getState().count).toBe(2)
    expect(database.watched).toEqual(['tasks', 'sites'])
    let told = 0
    windows.subscribe(() => {
      told += 1
    })
    windows[Symbol.dispose]()
    const reads = database.reads.length
    await database.write(`delete from tasks`)
    expect([told, database.reads.length]).toEqual([0, reads])
  })
})

describe('the numbers of windows', () => {
  test('in sight are those of the visible rows, wanted are one more on each side, nearest first', () => {
    expect(windowsInSight({ first: 250, last: 310 }, 1_000)).toEqual([2, 3])
    expect(wantedWindows({ first: 250, last: 310 }, 1_000)).toEqual([2, 1, 3, 4])
    expect(wantedWindows({ first: 0, last: 20 }, 50)).toEqual([0])
    expect(wantedWindows({ first: 0, last: 20 }, undefined)).toEqual([0, 1])
  })

  test('are of windows that the view has, and cover all that is visible', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(5_000), fc.nat(300), (count, first, shown) => {
        const visible = { first, last: first + shown }
        const numbers = wantedWindows(visible, count)
        for (const number of numbers) expect(number === 0 || number * WINDOW_ROWS < count).toBe(true)
        for (let row = first; row <= Math.min(visible.last, count - 1); row += 50) {
          expect(numbers).toContain(Math.floor(row / WINDOW_ROWS))
        }
      }),
    )
  })
})

test('a cache of windows evicts the longest unused', () => {
  const cache = new WindowCache()
  for (let number = 0; number < WINDOWS_MAX; number++) cache.set(number, [{ id: `r${number}` }])
  cache.use([0, 1])
  cache.set(WINDOWS_MAX, [])
  cache.evict()
  expect([cache.has(0), cache.has(1), cache.has(2), cache.has(3), cache.has(WINDOWS_MAX)]).toEqual([
    true,
    true,
    false,
    true,
    true,
  ])
})
