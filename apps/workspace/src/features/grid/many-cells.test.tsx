// @vitest-environment happy-dom
import { batchedReads, type Judgement, type PlannedWrite } from '@holdfast/client'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ToastRegion } from '../../components/toast.tsx'
import { toTableInfo } from '../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import { createRecordWriter } from '../../lib/records/create-record-writer.ts'
import { openTestDevice, type TestDevice } from '../../lib/test-device.test-support.tsx'
import { Questions } from './questions.tsx'
import { createBulkEdits } from './bulk-edits.ts'
import type { BulkEdits } from './grid-edits.ts'
import { gridQueryOf } from './query/grid-query-of.ts'
import { RowWindows } from './row-windows.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']
const FIELDS = TEST_FIELDS.filter(({ name }) => ['title', 'points', 'detail'].includes(name))
const [, POINTS] = FIELDS
if (POINTS?.name !== 'points') throw new Error('the points are the second field')

/** On a busy machine. */
const SOON = { timeout: 20_000 }

/** Rows of closed tasks cannot be changed, as their device knows. */
const CLOSED: Judgement = {
  kind: 'refused',
  refusal: { reason: 'restriction', policies: [{ name: 'closed', words: undefined }] },
}

async function withTasks(
  run: (
    edits: BulkEdits,
    device: TestDevice,
    values: () => Promise<readonly unknown[]>,
    undo: () => Promise<void>,
  ) => Promise<void>,
  descriptor = TEST_TASKS,
): Promise<void> {
  await using device = await openTestDevice(TEST_SCHEMA)
  const { local } = device
  const { database } = local
  for (const name of NAMES) {
    await database.execute('insert into tasks (id, title, points, detail) values (?, ?, ?, ?)', [
      `0190c0de-0000-7000-8000-00000000000${name}`,
      name,
      name === 'a' ? 1 : null,
      name === 'c' ? 'closed' : null,
    ])
  }
  const judge = async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> =>
    writes.map(({ before }) => (before?.['detail'] === 'closed' ? CLOSED : { kind: 'allowed' }))
  const query = gridQueryOf({
    table: 'tasks',
    fields: TEST_FIELDS,
    search: '',
    filter: { kind: 'all', nodes: [] },
    sort: 'title',
    today: '2026-11-29',
  })
  const { get, getAll, urgent } = batchedReads(database)
  using windows = new RowWindows({ get, getAll, urgent, onChange: database.onChange.bind(database) }, query)
  await waitFor(() => expect(windows.getState().rows).toBe(NAMES.length), SOON)
  const writer = createRecordWriter(
    database,
    local.rejected,
    local.userId,
    () => undefined,
    async () => undefined,
    async (command) => command,
  )
  const table = toTableInfo(descriptor)
  const edits = createBulkEdits(
    { database, judge },
    { table, shown: FIELDS, fields: TEST_FIELDS, windows, writer, onQuestions: () => undefined },
  )
  device.render(<Questions />)
  const values = async (): Promise<readonly unknown[]> =>
    (await device.rows<{ readonly points: number | null }>('select points from tasks order by title')).map(
      ({ points }) => points,
    )
  await run(edits, device, values, writer.undo)
}

const column = (firstRow: number, lastRow: number): Parameters<BulkEdits['clear']>[0] => ({
  firstRow,
  lastRow,
  firstColumn: 1,
  lastColumn: 1,
})

test('a value set in a range reaches every cell, one undo takes it back', async () => {
  await withTasks(async (edits, _device, values, undo) => {
    await edits.setCells(column(3, 4), POINTS, 7)
    expect(await values()).toEqual([1, null, null, 7, 7])
    await undo()
    expect(await values()).toEqual([1, null, null, null, null])
  })
})

test.each([
  ['set', (edits: BulkEdits) => edits.setCells(column(0, 4), POINTS, 7), [7, 7, null, 7, 7], '1 of 5 tasks'],
  ['filled', (edits: BulkEdits) => edits.fillDown(column(0, 4)), [1, 1, null, 1, 1], '1 of 4 tasks'],
  [
    'pasted',
    (edits: BulkEdits) => edits.paste({ text: '1\n2\n3\nx\n5', html: '' }, column(0, 0)),
    [1, 2, null, null, 5],
    '1 of 3 tasks',
  ],
] as const)(
  'cells that cannot be %s are listed with the reason before anything changes',
  async (_, edit, after, title) => {
    await withTasks(async (edits, _device, values, undo) => {
      const before = await values()
      const editing = edit(edits)
      const dialog = await screen.findByRole('alertdialog', { name: new RegExp(`^${title} cannot be changed`) }, SOON)
      expect(dialog.textContent).toContain('1 task: Not allowed by “Closed”.')
      expect(await values()).toEqual(before)
      fireEvent.click(screen.getByRole('button', { name: /^Change \d tasks$/ }))
      await editing
      expect(await values()).toEqual(after)
      await undo()
      expect(await values()).toEqual(before)
    })
  },
)

test('pasted rows below the last record of a table that takes no new ones are counted', async () => {
  const readOnly = { ...TEST_TASKS, can: { insert: false, update: true, delete: false } }
  await withTasks(async (edits, _device, values) => {
    const editing = edits.paste({ text: '4\n5\n6', html: '' }, column(4, 4))
    const dialog = await screen.findByRole('alertdialog', { name: /^2 cells cannot be changed/ }, SOON)
    expect(dialog.textContent).toContain('2 cells: There is no record for it')
    fireEvent.click(screen.getByRole('button', { name: 'Change 1 task' }))
    await editing
    expect(await values()).toEqual([1, null, null, null, 4])
  }, readOnly)
})

test('Ctrl+D in a single row takes the values of the row above', async () => {
  await withTasks(async (edits, _device, values) => {
    await edits.fillDown(column(1, 1))
    expect(await values()).toEqual([1, 1, null, null, null])
  })
})

test('the message of an earlier change does not undo a later one', async () => {
  await withTasks(async (edits, device, values) => {
    device.render(<ToastRegion />)
    await edits.setCells(column(3, 4), POINTS, 7)
    await edits.setCells(column(0, 1), POINTS, 8)
    const [earlier, later] = (await screen.findAllByRole('button', { name: 'Undo' }, SOON)).slice(-2)
    if (!earlier || !later) throw new Error('both changes can be undone')
    fireEvent.click(earlier)
    await screen.findByText('Other changes followed. Undo them first.', undefined, SOON)
    expect(await values()).toEqual([8, 8, null, 7, 7])
    fireEvent.click(later)
    await waitFor(async () => expect(await values()).toEqual([1, null, null, 7, 7]), SOON)
  })
})
