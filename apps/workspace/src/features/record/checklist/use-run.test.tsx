// @vitest-environment happy-dom
import { act, cleanup, waitFor } from '@testing-library/react'
import { useRecords } from '@holdfast/react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { REVIEW, RUN_DRAFT_SQL, type RunDraftRow, runDraftId } from '../../../lib/checklists/run-draft.ts'
import { CHECKLIST_SCHEMA, testChecklist } from '../../../lib/checklists/test-checklist.test-support.ts'
import { type ChecklistRows, useChecklistRows } from '../../../lib/checklists/use-checklist-rows.ts'
import { openTestDevice, type TestDevice } from '../../../lib/test-device.test-support.tsx'
import { type Run, useRun } from './use-run.ts'

const CHECKLIST = testChecklist()
const UNREAD: ChecklistRows = {
  record: { id: 'r2' },
  title: '',
  questions: [],
  version: undefined,
  answers: new Map(),
  answered: new Set(),
  earlier: new Map(),
  findings: new Map(),
}

let device: TestDevice

beforeAll(async () => {
  device = await openTestDevice(CHECKLIST_SCHEMA)
})
afterAll(() => device[Symbol.asyncDispose]())
afterEach(cleanup)

const write = (statement: string): Promise<unknown> => device.local.database.execute(statement)

beforeEach(async () => {
  for (const { name } of CHECKLIST_SCHEMA.tables) await write(`delete from ${name}`)
  await write('delete from hf_local_drafts')
  await write(`insert into rooms (id, name) values ('room-7', 'Pump room')`)
  await write(`insert into lists (id, title) values ('l1', 'Fire doors')`)
  await write(`insert into lines (id, list, question, type, position, max, finding_when) values
    ('q2', 'l1', 'How warm is it?', 'number', 2, 30, 'out_of_range'), ('q1', 'l1', 'Is it dry?', 'yes_no', 1, null, 'no'),
    ('other', 'l2', 'Of another list?', 'yes_no', 1, null, null)`)
  await write(
    `insert into rounds (id, room, list, state) values ('r1', 'room-7', 'l1', 'done'), ('r2', 'room-7', 'l1', 'planned')`,
  )
  await write(`insert into replies (id, round, line, value_num) values ('a1', 'r1', 'q2', 21.5)`)
  await write('delete from ps_crud')
})

interface Shown {
  readonly rows: ChecklistRows
  readonly run: Run
}

async function open(): Promise<() => Shown> {
  const { result } = device.renderHook(() => {
    const rows = useChecklistRows(CHECKLIST, 'r2')
    const stored = useRecords<RunDraftRow>(RUN_DRAFT_SQL, [runDraftId('r2')])
    const run = useRun(CHECKLIST, rows ?? UNREAD, stored.rows[0], false)
    return { rows, run }
  })
  await waitFor(() => expect(result.current?.rows?.questions).toHaveLength(2))
  return () => result.current as Shown
}

function asked({ rows }: Shown, id: string): ChecklistRows['questions'][number] {
  const question = rows.questions.find((one) => one.id === id)
  if (!question) throw new Error(`there is no question ${id}`)
  return question
}

const replies = (): Promise<readonly unknown[]> =>
  device.rows(`select line, flag, value_num from replies where round = 'r2' order by line`)
const state = async (): Promise<unknown> => (await device.rows(`select state from rounds where id = 'r2'`))[0]
const draft = async (): Promise<unknown> => {
  const [row] = await device.rows<{ field_values: string }>('select field_values from hf_local_drafts')
  return row && (JSON.parse(row.field_values) as unknown)
}
/** Returns the number of operations in each transaction of the outbox. */
const sent = async (): Promise<readonly number[]> =>
  (await device.rows<{ count: number }>('select count(*) as count from ps_crud group by tx_id order by tx_id')).map(
    ({ count }) => count,
  )

describe('a checklist', () => {
  test('asks the questions of its list in their order, and knows what was answered at the same place', async () => {
    const shown = await open()
    const { rows, run } = shown()
    expect([rows.title, rows.questions.map(({ id }) => id)]).toEqual(['Fire doors', ['q1', 'q2']])
    await waitFor(() => expect([...shown().rows.earlier]).toEqual([['q2', 21.5]]))
    expect(run.question?.id).toBe('q1')
  })

  test('stores an answer with what begins the record in one step, and goes on', async () => {
    const shown = await open()
    act(() => shown().run.put(asked(shown(), 'q1'), 1))
    await waitFor(async () => expect(await draft()).toMatchObject({ at: 'q1', values: { q1: 1 } }))
    expect(await act(() => shown().run.saveAndNext())).toBe(true)
    expect([await replies(), await state(), await sent()]).toEqual([
      [{ line: 'q1', flag: 1, value_num: null }],
      { state: 'begun' },
      [2],
    ])
    expect(shown().run.question?.id).toBe('q2')
    await waitFor(async () => expect(await draft()).toMatchObject({ at: 'q2', values: {} }))
    await waitFor(() => expect([...shown().rows.answered]).toEqual(['q1']))
  })

  test('stores nothing that is no answer, and keeps it', async () => {
    const shown = await open()
    act(() => shown().run.go('q2'))
    act(() => shown().run.put(asked(shown(), 'q2'), 'warm'))
    expect(await act(() => shown().run.saveAndNext())).toBe(false)
    expect([await replies(), shown().run.question?.id, shown().run.raw(asked(shown(), 'q2'))]).toEqual([
      [],
      'q2',
      'warm',
    ])
  })

  test('stores one answer for a double press', async () => {
    const shown = await open()
    act(() => shown().run.put(asked(shown(), 'q1'), 0))
    await act(() => Promise.all([shown().run.saveAndNext(), shown().run.saveAndNext()]))
    expect([await replies(), shown().run.question?.id]).toEqual([[{ line: 'q1', flag: 0, value_num: null }], 'q2'])
  })

  test('keeps what is entered while an answer is stored, at its question', async () => {
    const shown = await open()
    act(() => shown().run.go('q2'))
    act(() => shown().run.put(asked(shown(), 'q2'), '4.2'))
    await act(async () => {
      const saving = shown().run.saveAndNext()
      shown().run.put(asked(shown(), 'q2'), '4.3')
      await saving
    })
    expect(await replies()).toEqual([{ line: 'q2', flag: null, value_num: 4.2 }])
    expect([shown().run.question?.id, shown().run.raw(asked(shown(), 'q2'))]).toEqual(['q2', '4.3'])
    await waitFor(async () => expect(await draft()).toMatchObject({ values: { q2: '4.3' } }))
    await waitFor(() => expect(shown().rows.answers.get('q2')?.value).toBe(4.2))
    await act(() => shown().run.saveAndNext())
    expect(await replies()).toEqual([{ line: 'q2', flag: null, value_num: 4.3 }])
  })

  test('makes a finding with the answer that calls for it, at the place of the record, in one step', async () => {
    const shown = await open()
    act(() => shown().run.put(asked(shown(), 'q1'), 0))
    const finding = { title: '  ', severity: 'high', photos: [], position: undefined }
    act(() => shown().run.changeFinding(asked(shown(), 'q1'), () => finding))
    expect(await act(() => shown().run.saveFinding(undefined, 'Is it dry? No'))).toBe(true)
    const [answer] = await device.rows<{ id: string }>(`select id from replies where round = 'r2'`)
    expect(await device.rows('select reply, room, title, severity from defects')).toEqual([
      { reply: answer?.id, room: 'room-7', title: 'Is it dry? No', severity: 'high' },
    ])
    expect(await sent()).toEqual([3])
    expect(shown().run.question?.id).toBe('q1')
    await waitFor(() => expect(shown().rows.findings.get(answer?.id ?? '')).toMatchObject([{ title: 'Is it dry? No' }]))
  })

  test('that is finished leaves no draft', async () => {
    const shown = await open()
    act(() => shown().run.go(REVIEW))
    expect(shown().run.question).toBeUndefined()
    expect(await act(() => shown().run.finish())).toBe(true)
    expect([await state(), await draft()]).toEqual([{ state: 'done' }, undefined])
  })
})
