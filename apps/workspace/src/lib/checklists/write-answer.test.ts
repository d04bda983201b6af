// @vitest-environment happy-dom
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { openTestDevice, type TestDevice } from '../test-device.test-support.tsx'
import { isFinished, writeAnswer } from './answer-changes.ts'
import { type Checklist, checklistOf } from './checklist.ts'
import { type Question, questionsOf } from './questions.ts'
import { CHECKLIST_ROW, CHECKLIST_SCHEMA } from './test-checklist.test-support.ts'

const SCHEMA = {
  ...CHECKLIST_SCHEMA,
  tables: CHECKLIST_SCHEMA.tables.map((table) =>
    table.name === 'replies' ? testTable('replies', [...table.columns, testColumn('value_text', 'text')]) : table,
  ),
}
const CHECKLIST = checklistOf(CHECKLIST_ROW, SCHEMA) as Checklist
const [PHOTO] = questionsOf(CHECKLIST, [
  { id: 'q1', question: 'The door', type: 'photo', position: 1 },
]) as unknown as readonly [Question]

let device: TestDevice
beforeAll(async () => {
  device = await openTestDevice(SCHEMA)
})
afterAll(() => device[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const { name } of SCHEMA.tables) await device.local.database.execute(`delete from ${name}`)
  await device.local.database.execute(`insert into rounds (id, list, state) values ('r1', 'l1', 'planned')`)
})

const write = (names: string | null): Promise<void> =>
  device.local.database.writeTransaction((tx) =>
    writeAnswer(tx, CHECKLIST, { recordId: 'r1', version: undefined }, PHOTO, names),
  )
const replies = (): Promise<readonly unknown[]> => device.rows('select round, line, value_text from replies')

test('a photo begins the record and is its one answer, which loses its value with the last photo', async () => {
  await write('a.jpg')
  await write('a.jpg, b.jpg')
  expect(await replies()).toEqual([{ round: 'r1', line: 'q1', value_text: 'a.jpg, b.jpg' }])
  expect(await device.rows('select state from rounds')).toEqual([{ state: 'begun' }])
  await write(null)
  expect(await replies()).toEqual([{ round: 'r1', line: 'q1', value_text: null }])
})

test('no photo is no answer', async () => {
  await write(null)
  expect(await replies()).toEqual([])
})

test('a signature question keeps its kind where the record has a column for a signature', () => {
  const named = checklistOf(
    { ...CHECKLIST_ROW, names: JSON.stringify({ prompt: 'question', kind: 'type', signature: 'signed_by' }) },
    SCHEMA,
  )
  expect(named?.items.kinds.get('signature')).toBe('signature')
})

test('a record is finished by its values once it has an answer', () => {
  const answers = new Map([['q1', { id: 'a', value: 'a.jpg' }]])
  const of = (state: string) => ({ record: { id: 'r1', state }, version: undefined })
  expect(isFinished(CHECKLIST, { ...of('done'), answers })).toBe(true)
  expect(isFinished(CHECKLIST, { ...of('done'), answers: new Map() })).toBe(false)
  expect(isFinished(CHECKLIST, { ...of('begun'), answers })).toBe(false)
})
