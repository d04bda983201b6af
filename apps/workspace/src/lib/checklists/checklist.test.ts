import { expect, test } from 'vitest'
import type { FieldValue } from '../fields/field.ts'
import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { type AnsweredRecord, answerChanges, beginChanges, findingChange, finishChanges } from './answer-changes.ts'
import { type ChecklistRow, checklistOf } from './checklist.ts'
import type { RecordValues } from '../records/record-change.ts'
import { labelledTables, labelSql, placesOf } from './labels.ts'
import { needsFinding, outOfRange, type Question, questionsOf } from './questions.ts'
import { draftPlaceOf, EMPTY_DRAFT, type RunDraft, startForm, toRunDraft, withoutQuestion } from './run-draft.ts'
import {
  CHECKLIST_ROW as ROW,
  CHECKLIST_SCHEMA as SCHEMA,
  testChecklist as known,
  testLink as link,
} from './test-checklist.test-support.ts'
import { answerWords, typedValue } from './typed-value.ts'
import { answeredOf, lastValues } from './use-checklist-rows.ts'

function question(more: Partial<Question>): Question {
  const none = {
    section: undefined,
    unit: undefined,
    min: undefined,
    max: undefined,
    findingWhen: undefined,
    help: undefined,
  }
  return { id: 'q1', prompt: 'Is it dry?', kind: 'yes_no', isRequired: true, choices: [], ...none, ...more }
}

const of = (record: RecordValues, value?: FieldValue): AnsweredRecord => ({
  record,
  answers: new Map(value === undefined ? [] : [['q1', { id: 'x', value }]]),
  version: undefined,
})
const RECORD = { id: 'r1', room: 'room-7', list: 'l1', state: 'planned' }

test('the tables of a checklist are found by their foreign keys, and columns by the names of the row', () => {
  expect(known()).toMatchObject({
    table: 'rounds',
    template: 'list',
    templates: { table: 'lists', title: 'title', active: undefined },
    items: { table: 'lines', template: 'list', columns: { prompt: 'question', kind: 'type', max: 'max' } },
    answers: { table: 'replies', record: 'round', item: 'line', values: { yes_no: 'flag', reading: 'value_num' } },
    findings: {
      table: 'defects',
      answer: 'reply',
      record: undefined,
      title: 'title',
      places: [{ from: 'room', to: 'room' }],
    },
    places: ['room'],
    begin: { state: 'begun' },
    finish: { state: 'done' },
    signature: undefined,
  })
})

test.each([
  ['a table that this person does not have', { answer_table: 'others' }],
  ['another schema', { schema_name: 'elsewhere' }],
  ['tables without links', { answer_table: 'rooms' }],
  ['questions without a prompt', { names: '{}' }],
])('%s makes no checklist', (_, more) => {
  expect(checklistOf({ ...ROW, ...more }, SCHEMA)).toBeUndefined()
})

test('columns are named as in Postgres, also those that have another name on the device', () => {
  const mapped: Readonly<Record<string, readonly string[]>> = {
    rounds: ['state', 'room'],
    lines: ['question', 'type', 'max'],
    replies: ['flag', 'value_num'],
    defects: ['severity', 'room'],
  }
  // As mapped by platform/protocol/src/local-names.ts; names differ between tables with similar columns.
  const postgresName = (name: string): string => (name === 'room' ? 'Room No.' : `${name}.`)
  const tables = SCHEMA.tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => {
      if (!mapped[table.name]?.includes(column.name)) return column
      const name = `${postgresName(column.name).replace('.', '$2e$')}${table.name === 'defects' ? '$u1$' : ''}`
      return { ...column, name, column: postgresName(column.name) }
    }),
  }))
  const row: ChecklistRow = {
    ...ROW,
    place_fields: '["Room No."]',
    names:
      '{"prompt":"question.","kind":"type.","max":"max.","reading":"number","value_bool":"flag.","value_num":"value_num.","severity":"severity."}',
    begin_values: '{"state.":"begun"}',
    finish_values: '{"state.":"done"}',
  }
  const checklist = checklistOf(row, { version: '1', tables })
  expect(checklist).toMatchObject({
    items: { columns: { prompt: 'question$2e$', kind: 'type$2e$', max: 'max$2e$' } },
    answers: { values: { yes_no: 'flag$2e$', reading: 'value_num$2e$' } },
    findings: { severity: { column: 'severity$2e$$u1$' }, places: [{ from: 'Room No$2e$', to: 'Room No$2e$$u1$' }] },
    places: ['Room No$2e$'],
    begin: { state$2e$: 'begun' },
    finish: { state$2e$: 'done' },
  })
  if (!checklist) throw new Error('the tables hang together')
  const record = { id: 'r1', 'Room No$2e$': 'room-7' }
  const finding = { id: 'f1', title: 'Wet', severity: 'high', position: undefined }
  expect(findingChange(checklist, record, 'x', finding)).toMatchObject([
    { values: { 'Room No$2e$$u1$': 'room-7', severity$2e$$u1$: 'high' } },
  ])
})

test('questions come in their order, with kinds as the project calls them', () => {
  const rows = [
    { id: 'b', question: 'How warm?', type: 'number', position: 2, min: 5, max: 30.5, choices: null },
    { id: 'a', question: 'Which?', type: 'choice', position: 1, choices: '["Good","Bad"]', finding_when: 'Bad' },
    { id: 'c', question: 'What else?', type: 'essay', position: 3 },
  ]
  expect(questionsOf(known(), rows)).toMatchObject([
    { id: 'a', kind: 'choice', choices: ['Good', 'Bad'], findingWhen: 'Bad', isRequired: false },
    { id: 'b', kind: 'reading', min: 5, max: 30.5 },
    { id: 'c', kind: 'text' },
  ])
})

test.each([
  [4.9, 'below'],
  [5, undefined],
  [30.5, undefined],
  [30.6, 'above'],
  [null, undefined],
])('a reading of %s lies %s the good range', (value, side) => {
  expect(outOfRange(question({ kind: 'reading', min: 5, max: 30.5 }), value)).toBe(side)
})

test('an answer calls for a finding as its question says', () => {
  expect(needsFinding(question({ findingWhen: 'no' }), 0)).toBe(true)
  expect(needsFinding(question({ findingWhen: 'no' }), 1)).toBe(false)
  expect(needsFinding(question({ findingWhen: 'no' }), null)).toBe(false)
  expect(needsFinding(question({}), 0)).toBe(false)
  const reading = question({ kind: 'reading', max: 4, findingWhen: 'out_of_range' })
  expect([3.9, 4.2].map((value) => needsFinding(reading, value))).toEqual([false, true])
  expect(needsFinding(question({ kind: 'choice', findingWhen: 'Bad' }), 'Bad')).toBe(true)
})

test('what is typed is read by kind; what is no number is said, and nothing is no answer', () => {
  const reading = question({ kind: 'reading', unit: 'mm/s' })
  expect(typedValue(reading, '4.2')).toEqual({ kind: 'value', value: 4.2 })
  expect(typedValue(reading, '4.2.1')).toEqual({ kind: 'invalid' })
  expect(typedValue(reading, ' ')).toEqual({ kind: 'none' })
  expect(typedValue(reading, null)).toEqual({ kind: 'none' })
  expect(typedValue(question({}), null)).toEqual({ kind: 'value', value: null })
  expect(answerWords(reading, 1234.5)).toBe('1,234.5 mm/s')
  expect([1, 0, null].map((value) => answerWords(question({}), value))).toEqual(['Yes', 'No', 'n/a'])
})

test('the first answer begins the record in the same step, and the next ones do not', () => {
  const { answerId, changes } = answerChanges(known(), of(RECORD), question({}), 0)
  expect(changes).toEqual([
    { kind: 'update', table: 'rounds', id: 'r1', values: { state: 'begun' }, before: { state: 'planned' } },
    { kind: 'insert', table: 'replies', id: answerId, values: { round: 'r1', line: 'q1', flag: 0 } },
  ])
  const begun = { ...RECORD, state: 'begun' }
  expect(beginChanges(known(), begun)).toEqual([])
  expect(answerChanges(known(), of(begun, 0), question({}), 1).changes).toEqual([
    { kind: 'update', table: 'replies', id: 'x', values: { flag: 1 }, before: { flag: 0 } },
  ])
  expect(answerChanges(known(), of(begun, 0), question({}), 0)).toEqual({ answerId: 'x', changes: [] })
})

test('an answer that was emptied is none; "not applicable" to yes or no is one', () => {
  const questions = [question({}), question({ id: 'q2', kind: 'reading' }), question({ id: 'q3', kind: 'reading' })]
  const answers = new Map(
    [null, null, 0].map((value, place) => [`q${String(place + 1)}`, { id: `a${String(place)}`, value }]),
  )
  expect([...answeredOf(known(), questions, answers)]).toEqual(['q1', 'q3'])
})

test('a finding takes over the place of its record, and finishing writes what the project says', () => {
  const finding = { id: 'f1', title: 'Wet', severity: 'high', position: undefined }
  expect(findingChange(known(), RECORD, 'x', finding)).toEqual([
    {
      kind: 'insert',
      table: 'defects',
      id: 'f1',
      values: { title: 'Wet', room: 'room-7', reply: 'x', severity: 'high' },
    },
  ])
  expect(finishChanges(known(), RECORD)).toMatchObject([{ values: { state: 'done' }, before: { state: 'planned' } }])
})

test('the last value is that of the latest answer that has one', () => {
  const rows = [
    { id: '1', line: 'q1', flag: 1, created_at: '2026-01-01T00:00:00Z' },
    { id: '3', line: 'q1', flag: null, created_at: '2026-03-01T00:00:00Z' },
    { id: '2', line: 'q1', flag: 0, created_at: '2026-02-01T00:00:00Z' },
  ]
  expect([...lastValues(known(), [question({}), question({ id: 'q2' })], rows)]).toEqual([['q1', 0]])
})

test('a draft survives being stored, a broken one counts as none, and what was saved leaves it', () => {
  const finding = { title: 'Wet', severity: 'high', photos: ['p1'], position: { lat: 1, lon: 2, metres: 8 } }
  const draft: RunDraft = { at: 'q2', values: { q1: 0, q2: null, q3: '4.' }, findings: { q1: finding } }
  const row = { table_name: 'rounds', record_id: 'r1', updated_at: '' }
  expect(toRunDraft({ ...row, field_values: JSON.stringify(draft) })).toEqual(draft)
  expect(toRunDraft({ ...row, field_values: '{"values":[]}' })).toEqual(EMPTY_DRAFT)
  expect(toRunDraft(undefined)).toEqual(EMPTY_DRAFT)
  expect(withoutQuestion(draft, 'q1')).toEqual({ at: 'q2', values: { q2: null, q3: '4.' }, findings: {} })
})

test('a draft leads to where it goes on', () => {
  const place = (form_id: string) =>
    draftPlaceOf({ id: '', table_name: 'rounds', record_id: 'r1', form_id, updated_at: '' })
  expect(place('checklist')).toEqual({ kind: 'checklist', record: 'r1' })
  expect(place(startForm('l1'))).toEqual({ kind: 'start', template: 'l1', prefill: undefined })
  const prefill = 'room=B12&note=who%3F?'
  expect(place(startForm('l1', prefill))).toEqual({ kind: 'start', template: 'l1', prefill })
  expect(startForm('l1', 'room=B12')).not.toBe(startForm('l1', 'room=A1'))
  expect(place('record')).toEqual({ kind: 'record', record: 'r1' })
  expect(place('some-view')).toEqual({ kind: 'view', view: 'some-view' })
})

test('a label is looked for in the most exact place first, and an asset tells its site', () => {
  const site = testTable('sites', [testColumn('name', 'text'), testColumn('code', 'text')])
  const asset = testTable('assets', [
    link('site_id', 'sites'),
    testColumn('qr_code', 'text'),
    testColumn('tag', 'text'),
  ])
  const visits = testTable('visits', [link('site_id', 'sites'), link('asset_id', 'assets')])
  const schema = { version: '1', tables: [site, asset, visits] }
  const checklist = { ...known(), table: 'visits', places: ['site_id', 'asset_id'] }
  const tables = labelledTables(checklist, schema)
  expect(tables.map(({ field, columns }) => [field, columns])).toEqual([
    ['asset_id', ['qr_code', 'tag']],
    ['site_id', ['code']],
  ])
  const [ofAsset, ofSite] = tables
  if (!ofAsset || !ofSite) throw new Error('two tables have labels')
  expect(labelSql(ofAsset)).toContain('where "qr_code" = ? collate nocase or "tag" = ? collate nocase')
  expect(placesOf(ofAsset, { id: 'a1', site_id: 's1' }, tables)).toEqual({ asset_id: 'a1', site_id: 's1' })
  expect(placesOf(ofSite, { id: 's2' }, tables)).toEqual({ site_id: 's2' })
})
