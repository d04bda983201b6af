// @vitest-environment happy-dom
import { batchedReads } from '@holdfast/client'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, test, vi } from 'vitest'
import { toTableInfo } from '../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import { createRecordWriter, useUndo } from '../../lib/records/create-record-writer.ts'
import { openTestDevice, type TestDevice } from '../../lib/test-device.test-support.tsx'
import { gridQueryOf } from './query/grid-query-of.ts'
import { Questions } from './questions.tsx'
import { RowWindows } from './row-windows.ts'
import { SelectionBar, type SelectionBarProps } from './selection-bar.tsx'
import { type CheckedRows, createViewStore, NO_ROWS, NO_SELECTION } from './use-view-selection.ts'
import { type RowChecks, useRowChecks } from './use-row-checks.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

/** More than are loaded at once, and a write that is followed. */
const ROWS = 650

interface Shown {
  readonly device: TestDevice
  readonly checked: CheckedRows
  readonly checks: () => RowChecks
  readonly undo: () => Promise<void>
  readonly count: (where: string) => Promise<number | undefined>
}

/** Shows the actions of a view with the tasks of more than 50 points. */
async function withView(run: (shown: Shown) => Promise<void>): Promise<void> {
  await using device = await openTestDevice(TEST_SCHEMA)
  const { local } = device
  const { database } = local
  await database.execute(
    `insert into tasks (id, title, state, points)
      select printf('0190c0de-0000-7000-8000-%012d', value), 'Task ' || value, 'open', value
        from (with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ?)
          select value from numbers)`,
    [ROWS],
  )
  const query = gridQueryOf({
    table: 'tasks',
    fields: TEST_FIELDS,
    search: '',
    filter: { kind: 'all', nodes: [{ kind: 'condition', field: 'points', operator: 'gt', values: ['50'] }] },
    sort: 'points',
    today: '2026-11-29',
  })
  const { get, getAll, urgent } = batchedReads(database)
  using windows = new RowWindows({ get, getAll, urgent, onChange: database.onChange.bind(database) }, query)
  await waitFor(() => expect(windows.getState().count).toBe(ROWS - 50), SOON)
  const writer = createRecordWriter(
    database,
    local.rejected,
    local.userId,
    () => undefined,
    async () => undefined,
    async (command) => command,
  )
  const checked = createViewStore(NO_ROWS).of('view')
  function Bar(): JSX.Element {
    const checks = useRowChecks(checked, windows, query)
    const view = { shown: TEST_FIELDS } as SelectionBarProps['view']
    return (
      <SelectionBar
        {...{ view, windows, writer, checked, checks }}
        table={toTableInfo(TEST_TASKS)}
        fields={TEST_FIELDS}
        selection={NO_SELECTION}
        shown={windows.getState().count}
        onQuestions={() => undefined}
      />
    )
  }
  device.render(<Questions />)
  const { result } = device.renderHook(() => useRowChecks(checked, windows, query))
  device.render(<Bar />)
  await screen.findByRole('toolbar', { name: 'Selected records' }, SOON)
  const count = async (where: string): Promise<number | undefined> =>
    (await device.rows<{ readonly n: number }>(`select count(*) as n from tasks where ${where}`))[0]?.n
  await run({
    device,
    checked,
    checks: () => {
      if (!result.current) throw new Error('the device is not open')
      return result.current
    },
    undo: writer.undo,
    count,
  })
}

test('all records of the view are selected, loaded or not, and deleted as one step', async () => {
  await withView(async ({ checks, checked, count, undo }) => {
    act(() => checks().toggle(0))
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 600' }, SOON))
    await waitFor(() => expect(checked.get().size).toBe(ROWS - 50), SOON)
    expect(screen.getByRole('status').textContent).toBe('600 selected')
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
    const dialog = await screen.findByRole('alertdialog', { name: /^Delete 600 tasks\?/ }, SOON)
    expect(await count('true')).toBe(ROWS)
    fireEvent.click([...dialog.querySelectorAll('button')].at(-1) ?? dialog)
    await waitFor(async () => expect(await count('true')).toBe(50), SOON)
    await waitFor(() => expect(checked.get().size).toBe(0), SOON)
    await undo()
    expect(await count('true')).toBe(ROWS)
  })
})

test('a write that takes longer shows how far it is, and is rolled back by Cancel', async () => {
  await withView(async ({ checks, count }) => {
    act(() => checks().toggle(0))
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 600' }, SOON))
    await screen.findByText('600 selected', undefined, SOON)
    // Time passes quickly between two changes.
    let now = performance.now()
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 50))
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
    const dialog = await screen.findByRole('alertdialog', { name: /^Delete 600 tasks\?/ }, SOON)
    fireEvent.click([...dialog.querySelectorAll('button')].at(-1) ?? dialog)
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }, SOON))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), SOON)
    expect(await count('true')).toBe(ROWS)
    expect(useUndo.getState().stack.done).toEqual([])
  })
})

test('a field of the selected records is set in one step, that of the others stays', async () => {
  await withView(async ({ checks, checked, count, undo }) => {
    act(() => checks().toggle(3))
    act(() => checks().toggle(205, true))
    await waitFor(() => expect(checked.get().size).toBe(203), SOON)
    fireEvent.click(screen.getByRole('button', { name: 'Edit field' }))
    fireEvent.change(await screen.findByRole('textbox', { name: 'Value' }, SOON), { target: { value: 'Renamed' } })
    fireEvent.click(screen.getByRole('button', { name: 'Apply' }))
    await waitFor(async () => expect(await count(`title = 'Renamed'`)).toBe(203), SOON)
    expect(await count(`title = 'Renamed' and points between 54 and 256`)).toBe(203)
    await undo()
    expect(await count(`title = 'Renamed'`)).toBe(0)
  })
})

test('a range that is checked already is unchecked', async () => {
  await withView(async ({ checks, checked }) => {
    act(() => checks().toggleRange(0, 299))
    await waitFor(() => expect(checked.get().size).toBe(300), SOON)
    act(() => checks().toggleRange(100, 299))
    await waitFor(() => expect(checked.get().size).toBe(100), SOON)
    act(() => checks().clear())
    expect(checked.get().size).toBe(0)
  })
})
