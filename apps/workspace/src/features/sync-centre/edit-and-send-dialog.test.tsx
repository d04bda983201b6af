// @vitest-environment happy-dom
import type { EditedValues, LeftOut, RejectedChange } from '@holdfast/client'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TEST_SCHEMA } from '../../lib/fields/test-fields.test-support.ts'
import { openTestDevice, type TestDevice } from '../../lib/test-device.test-support.tsx'
import { EditAndSendDialog } from './edit-and-send-dialog.tsx'
import { type RejectedRecord, useRejectedRecord } from './use-rejected-record.ts'

let device: TestDevice

beforeAll(async () => {
  device = await openTestDevice(TEST_SCHEMA)
  await device.local.database.execute(`insert into tasks (id, title, detail, points) values ('t1', 'Pump', 'Old', 5)`)
})
afterAll(() => device[Symbol.asyncDispose]())
afterEach(cleanup)

const CHANGE: RejectedChange = {
  id: 'c1',
  at: '2026-11-20T12:00:00Z',
  position: 1,
  table: 'tasks',
  recordId: 't1',
  op: 'PATCH',
  operations: [
    { op_id: 1, op: 'PATCH', type: 'tasks', id: 't1', data: { title: 'Pump 2', points: 7 } },
    { op_id: 2, op: 'PUT', type: 'sites', id: 's1', data: { name: 'Elmcroft' } },
  ],
  verdict: { op_id: 1, status: 'error', sqlstate: '23514', message: 'no', column: 'points' },
  serverRow: undefined,
  held: [],
  state: 'open',
  decidedAt: undefined,
}

type Sent = readonly [readonly EditedValues[], readonly LeftOut[]]

async function open(): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const record = { noun: 'task', title: 'Pump 2' } as RejectedRecord
  device.render(
    <EditAndSendDialog
      change={CHANGE}
      record={record}
      explanation="Points are at most 5."
      isPending={false}
      error={undefined}
      onClose={() => undefined}
      onSend={(...edit) => void sent.push(edit)}
    />,
  )
  await screen.findByRole('dialog')
  return sent
}

const send = async (): Promise<void> => {
  const form = document.querySelector('form')
  if (!form) throw new Error('there is a form')
  fireEvent.submit(form)
  // The form ignores a second press while sending.
  await Promise.resolve()
}

describe('a refused change in a form', () => {
  test('is sent as it was when nothing was edited', async () => {
    const sent = await open()
    await send()
    expect(sent).toEqual([[[], []]])
  })

  test('sends what was edited in the record that it belongs to, and what is typed back to what it was is no edit', async () => {
    const sent = await open()
    const title = await screen.findByRole('textbox', { name: /^Title/u })
    fireEvent.input(title, { target: { value: 'Pump 3' } })
    fireEvent.input(title, { target: { value: 'Pump 2' } })
    fireEvent.input(await screen.findByRole('textbox', { name: /^Name/u }), { target: { value: 'Oakridge' } })
    await send()
    expect(sent).toEqual([[[{ table: 'sites', recordId: 's1', values: { name: 'Oakridge' } }], []]])
  })

  test('leaves out a field that is not to be sent, and sends it after all once it is wanted again', async () => {
    const sent = await open()
    const points = await screen.findByRole('checkbox', { name: /Points/u })
    fireEvent.click(points)
    await send()
    fireEvent.click(points)
    await send()
    expect(sent).toEqual([
      [[], [{ table: 'tasks', recordId: 't1', columns: ['points'] }]],
      [[], []],
    ])
  })
})

describe('the record of a refused change', () => {
  const read = async (change: RejectedChange): Promise<RejectedRecord> => {
    const { result } = device.renderHook(() => useRejectedRecord(change))
    await expect.poll(() => result.current?.isLoading).toBe(false)
    return result.current as RejectedRecord
  }

  test('has the written fields, what was lost, and a title from what was written', async () => {
    const operations = [
      { op_id: 1, op: 'PATCH' as const, type: 'tasks', id: 't1', data: { title: 'First', gone_column: 'x' } },
      { op_id: 2, op: 'PATCH' as const, type: 'tasks', id: 't1', data: { title: 'Last' } },
    ]
    const record = await read({ ...CHANGE, operations })
    expect(record.title).toBe('Last')
    expect(record.isHere).toBe(true)
    expect(record.fields.map(({ column, yours }) => [column.name, yours])).toEqual([
      ['title', 'Last'],
      ['points', undefined],
    ])
    expect(record.lost).toEqual([{ name: 'gone_column', label: 'Gone column', yours: 'x' }])
  })

  test('of a conflict tells what others changed in fields that the user did not write', async () => {
    const operations = [
      {
        op_id: 1,
        op: 'PATCH' as const,
        type: 'tasks',
        id: 't1',
        data: { title: 'Mine' },
        old: { title: 'Pump', detail: 'Old', points: 5 },
      },
    ]
    const record = await read({
      ...CHANGE,
      operations,
      verdict: { op_id: 1, status: 'conflict', current: { detail: 'New' } },
      serverRow: { title: 'Pump', detail: 'New', points: 5 },
    } as unknown as RejectedChange)
    expect(record.changedByOthers.map(({ column, yours }) => [column.name, yours])).toEqual([['detail', 'Old']])
  })

  test('of a table that is gone from the device still has a name', async () => {
    const record = await read({ ...CHANGE, table: 'old_sheets', recordId: 'abcdef0123456789' })
    expect([record.noun, record.title, record.isHere]).toEqual(['old sheets', 'abcdef01', false])
  })
})
