// @vitest-environment happy-dom
import { act, cleanup, waitFor } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toTableInfo } from '../../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_TASKS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { openTestDevice, type TestDevice } from '../../../lib/test-device.test-support.tsx'
import { askedFields } from './asked-fields.ts'
import { newDraft, type RecordForm, useForm } from './use-form.ts'

const TASKS = toTableInfo(TEST_TASKS)
const DONE = { kind: 'saved', id: expect.any(String), values: expect.anything() }

let device: TestDevice

beforeAll(async () => {
  device = await openTestDevice(TEST_SCHEMA)
})
afterAll(() => device[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const table of ['tasks', 'hf_local_drafts']) await device.local.database.execute(`delete from ${table}`)
})
afterEach(cleanup)

/** Opens a form that asks for every field of the tasks; the title is required. */
async function open(begun = newDraft('tasks', 'report')): Promise<() => RecordForm> {
  const asked = askedFields(TEST_FIELDS, undefined)
  const { result } = device.renderHook(() => useForm(TASKS, begun, asked))
  return waitFor(() => {
    if (!result.current) throw new Error('the form is not there yet')
    return () => result.current as RecordForm
  })
}

const tasks = (): Promise<readonly unknown[]> => device.rows('select id, title, points from tasks order by id')
const drafts = (): Promise<readonly unknown[]> => device.rows('select id, form_id, field_values from hf_local_drafts')

describe('a form', () => {
  test('keeps each value in a draft on the device, and makes a record of it once', async () => {
    const form = await open()
    await act(() => form().commit(testField('title'), 'Pump'))
    await act(() => form().commit(testField('points'), 3))
    const { id } = form().draft
    expect(await drafts()).toEqual([{ id, form_id: 'report', field_values: '{"title":"Pump","points":3}' }])

    const saved = await act(() => Promise.all([form().save(), form().save()]))
    expect(saved).toEqual([DONE, DONE])
    expect(await tasks()).toEqual([{ id, title: 'Pump', points: 3 }])
    expect(await drafts()).toEqual([])
    // The next record starts empty.
    expect(form().draft).toEqual({ id: expect.any(String), table: 'tasks', form: 'report', values: {} })
    expect(form().draft.id).not.toBe(id)
  })

  test('names what is missing from the first try to save on, and stores nothing', async () => {
    const form = await open()
    expect(form().missing).toEqual([])
    const outcome = await act(() => form().save())
    expect(outcome).toMatchObject({ kind: 'missing', fields: [{ field: { name: 'title' } }] })
    expect(form().missing.map(({ field }) => field.name)).toEqual(['title'])
    expect(await tasks()).toEqual([])
    await act(() => form().commit(testField('title'), 'Pump'))
    expect(form().missing).toEqual([])
  })

  test('saved in another tab meanwhile makes a second record rather than writing over the first', async () => {
    const form = await open()
    await act(() => form().commit(testField('title'), 'Mine'))
    const { id } = form().draft
    await device.local.database.execute(`insert into tasks (id, title) values (?, 'Theirs')`, [id])
    await act(() => form().save())
    expect(await tasks()).toHaveLength(2)
    expect(await tasks()).toContainEqual({ id, title: 'Theirs', points: null })
  })

  test('what is entered while a record is stored belongs to the next one', async () => {
    const form = await open()
    await act(() => form().commit(testField('title'), 'First'))
    await act(async () => {
      const saving = form().save()
      await form().commit(testField('title'), 'Second')
      await saving
    })
    expect((await tasks()).map((row) => (row as { title: string }).title)).toEqual(['First'])
    expect(form().draft.values).toEqual({ title: 'Second' })
    expect(await drafts()).toMatchObject([{ field_values: '{"title":"Second"}' }])
  })

  test('that is cleared leaves no draft', async () => {
    const form = await open()
    await act(() => form().commit(testField('title'), 'Pump'))
    await act(() => form().clear())
    expect([await drafts(), form().draft.values, form().missing]).toEqual([[], {}, []])
  })
})
