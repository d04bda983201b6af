// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JSX } from 'react'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { type TableInfo, toTableInfo } from '../../../lib/data/tables.ts'
import { testColumn, testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { openTestDevice, TEST_USER, type TestDevice } from '../../../lib/test-device.test-support.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { useMayShare } from './shares.ts'

const text = (name: string) => testColumn(name, 'text')
const MEMBERS = testTable('hf_members', ['workspace_id', 'user_id', 'name', 'status', 'role', 'expires_at'].map(text))
const SHARES = testTable('hf_shares', [
  ...['workspace_id', 'user_id', 'table_name', 'record_id'].map(text),
  testColumn('may_change', 'boolean'),
])
const TASKS = { ...testTable('tasks', [text('title')]), guests: 'change' as const }

let device: TestDevice

beforeAll(async () => {
  device = await openTestDevice({ version: '1', tables: [TASKS, MEMBERS, SHARES] })
})
afterAll(() => device[Symbol.asyncDispose]())
afterEach(cleanup)

/** Adds a member of workspace `w1`, which the user administers, or of `w2`, which they do not. */
async function member(more: Readonly<Record<string, string | null>>): Promise<void> {
  const row = { workspace_id: 'w1', status: 'active', role: 'guest', expires_at: null, ...more }
  const names = Object.keys(row)
  await device.local.database.execute(
    `insert into hf_members (id, ${names.join()}) values (uuid(), ${names.map(() => '?').join()})`,
    Object.values(row),
  )
}

beforeEach(async () => {
  for (const table of ['hf_members', 'hf_shares']) await device.local.database.execute(`delete from ${table}`)
  await member({ user_id: TEST_USER.id, name: 'Ana', role: 'admin' })
  await member({ workspace_id: 'w2', user_id: TEST_USER.id, name: 'Ana', role: 'member' })
})

function Opened({ table, mayChange }: { readonly table: TableInfo; readonly mayChange: boolean }): JSX.Element {
  const writer = useRecordWriter()
  return (
    <ShareDialog
      {...{ table, mayChange, writer }}
      recordId="r1"
      title="Pump"
      workspace="w1"
      onClose={() => undefined}
    />
  )
}

function open({ table = toTableInfo(TASKS), mayChange = true }: { table?: TableInfo; mayChange?: boolean } = {}): void {
  device.render(<Opened {...{ table, mayChange }} />)
}

const guestNames = async (): Promise<readonly string[]> =>
  within(await screen.findByRole('list', { name: 'Guests' }))
    .getAllByRole('checkbox')
    .map((box) => box.getAttribute('aria-label') ?? box.closest('label')?.textContent ?? '')
const shares = (): Promise<readonly unknown[]> =>
  device.rows('select workspace_id, user_id, table_name, record_id, may_change from hf_shares order by user_id')

describe('sharing a record', () => {
  test('lists the guests of the workspaces that the user administers, and no others', async () => {
    await member({ user_id: 'g2', name: 'zoe' })
    await member({ user_id: 'g1', name: 'Bert' })
    await member({ user_id: 'm1', name: 'Member', role: 'member' })
    await member({ user_id: 'g3', name: 'Of another workspace', workspace_id: 'w2' })
    open()
    expect(await guestNames()).toEqual(['Bert', 'zoe'])
  })

  test('is stored with each press, once for a double click, and taken back with the next', async () => {
    await member({ user_id: 'g1', name: 'Bert' })
    open()
    const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Bert' })
    fireEvent.click(box)
    fireEvent.click(box)
    await waitFor(() => expect(box.checked).toBe(true))
    const share = { workspace_id: 'w1', user_id: 'g1', table_name: 'tasks', record_id: 'r1', may_change: 0 }
    expect(await shares()).toEqual([share])

    fireEvent.click(await screen.findByRole('checkbox', { name: 'Bert may change it' }))
    await waitFor(async () => expect(await shares()).toEqual([{ ...share, may_change: 1 }]))

    fireEvent.click(box)
    await waitFor(async () => expect(await shares()).toEqual([]))
    await waitFor(() => expect(screen.queryByRole('checkbox', { name: 'Bert may change it' })).toBeNull())
  })

  test.each([
    { title: 'a user who may not change the record', mayChange: false, guests: 'change' as const },
    { title: 'a table whose guests only read', mayChange: true, guests: 'read' as const },
  ])('lets guests change nothing for $title', async ({ mayChange, guests }) => {
    await member({ user_id: 'g1', name: 'Bert' })
    open({ mayChange, table: toTableInfo({ ...TASKS, guests }) })
    const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Bert' })
    fireEvent.click(box)
    await waitFor(() => expect(box.checked).toBe(true))
    expect(await guestNames()).toEqual(['Bert'])
  })

  test('says whose access has ended or will end', async () => {
    await member({ user_id: 'g1', name: 'Ended', expires_at: '2020-01-31T12:00:00.000000Z' })
    await member({ user_id: 'g2', name: 'Later', expires_at: '2190-01-31T12:00:00.000000Z' })
    await member({ user_id: 'g3', name: 'Suspended', status: 'suspended' })
    await member({ user_id: 'g4', name: 'Always' })
    open()
    const list = await screen.findByRole('list', { name: 'Guests' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'Always',
      expect.stringMatching(/^EndedAccess ended on .*2020: sees nothing$/u),
      expect.stringMatching(/^LaterAccess until .*2190$/u),
      'SuspendedSuspended: sees nothing',
    ])
  })
})

describe('who may share', () => {
  test.each([
    { title: 'administers a workspace', role: 'owner', status: 'active', may: true },
    { title: 'is a member', role: 'member', status: 'active', may: false },
    { title: 'is a guest', role: 'guest', status: 'active', may: false },
    { title: 'is a suspended administrator', role: 'admin', status: 'suspended', may: false },
  ])('somebody who $title: $may', async ({ role, status, may }) => {
    await device.local.database.execute('update hf_members set role = ?, status = ?', [role, status])
    const { result } = device.renderHook(() => [useMayShare(toTableInfo(TASKS)), useMayShare(toTableInfo(MEMBERS))])
    await waitFor(() => expect(result.current).toEqual([may, false]))
  })
})
