import { describe, expect, test } from 'vitest'
import { type ChecklistRow, checklistOf } from '../../lib/checklists/checklist.ts'
import { questionsOf, versionBegun } from '../../lib/checklists/questions.ts'
import { testColumn, testTable } from '../../lib/fields/test-fields.test-support.ts'
import type { RecordChange, RecordValues } from '../../lib/records/record-change.ts'
import { changesFor, copyOf, draftOf } from './builder-changes.ts'
import {
  changeQuestion,
  type ChecklistDraft,
  duplicateEntry,
  entriesFromLines,
  moveEntry,
  newQuestion,
  newSection,
  problemsOf,
  removeEntry,
  stepEntry,
} from './builder-draft.ts'

const link = (name: string, table: string) => testColumn(name, 'uuid', { references: { table, column: 'id' } })
const SCHEMA = {
  version: '1',
  tables: [
    testTable('checklists', [
      testColumn('name', 'text'),
      testColumn('active', 'boolean'),
      testColumn('version', 'bigint'),
    ]),
    testTable('questions', [
      link('checklist', 'checklists'),
      ...['prompt', 'kind', 'section', 'help', 'unit', 'choices', 'finding_when'].map((name) =>
        testColumn(name, 'text'),
      ),
      ...['position', 'since', 'until'].map((name) => testColumn(name, 'bigint')),
      testColumn('required', 'boolean'),
      testColumn('min', 'numeric'),
      testColumn('max', 'numeric'),
    ]),
    testTable('visits', [link('checklist', 'checklists')]),
    testTable('answers', [
      link('record', 'visits'),
      link('question', 'questions'),
      testColumn('version', 'bigint'),
      testColumn('value_bool', 'boolean'),
    ]),
  ],
}
const ROW: ChecklistRow = {
  schema_name: 'public',
  table_name: 'visits',
  item_table: 'questions',
  answer_table: 'answers',
  finding_table: null,
  place_fields: '[]',
  names: '{}',
  begin_values: '{}',
  finish_values: '{}',
}
const checklist = checklistOf(ROW, SCHEMA) ?? expect.fail('the tables are linked')

/** Applies changes to rows of templates and questions. */
function apply(rows: ReadonlyMap<string, RecordValues>, changes: readonly RecordChange[]): Map<string, RecordValues> {
  const next = new Map(rows)
  for (const { kind, id, values } of changes) {
    if (kind === 'delete') next.delete(id)
    else next.set(id, { ...next.get(id), ...values, id })
  }
  return next
}

class Store {
  rows = new Map<string, RecordValues>([['t', { id: 't', name: 'Fire', active: 0, version: 0 }]])
  get stored() {
    const template = this.rows.get('t') ?? {}
    return { template, items: [...this.rows.values()].filter((row) => 'prompt' in row) }
  }
  get draft(): ChecklistDraft {
    return draftOf(checklist, this.stored, String)
  }
  save(draft: ChecklistDraft, isPublished: boolean): readonly RecordChange[] {
    const changes = changesFor(checklist, this.stored, draft, { toNumber: Number, isPublished })
    this.rows = apply(this.rows, changes)
    return changes
  }
  asked(version: number): readonly string[] {
    return questionsOf(checklist, this.stored.items, version).map(({ prompt }) => prompt)
  }
}

const prompts = ({ entries }: ChecklistDraft): readonly string[] =>
  entries.map((entry) => (entry.type === 'section' ? `# ${entry.title}` : entry.prompt))
const draftFrom = (text: string): ChecklistDraft => ({ name: 'Fire', description: '', entries: entriesFromLines(text) })
const idOf = ({ entries }: ChecklistDraft, name: string): string =>
  entries.find((entry) => (entry.type === 'section' ? entry.title : entry.prompt) === name)?.id ?? ''

describe('pasted lines', () => {
  test.each([
    ['Exit clear?\nLights on?', ['Exit clear?', 'Lights on?']],
    [
      '1. Exit clear?\n 2) Lights on?\n- Doors\n• Keys\n☐ Signs',
      ['Exit clear?', 'Lights on?', 'Doors', 'Keys', 'Signs'],
    ],
    [
      'Outside:\nGate shut?\r\n\r\n## Inside\nTime 10:30 noted',
      ['# Outside', 'Gate shut?', '# Inside', 'Time 10:30 noted'],
    ],
    ['\tSecond cell\tThird\n"Say ""yes"""\t', ['Second cell', 'Say "yes"']],
    ['  \n\t\n', []],
  ])('%j', (text, expected) => {
    expect(prompts(draftFrom(text))).toEqual(expected)
  })
})

describe('order', () => {
  const draft = draftFrom('A\nOne:\nB\nC\nTwo:\nD')
  const moved = (id: string, over: string) => prompts(moveEntry(draft, idOf(draft, id), idOf(draft, over)))
  test('a question moves before or behind another one', () => {
    expect(moved('C', 'A')).toEqual(['C', 'A', '# One', 'B', '# Two', 'D'])
    expect(moved('A', 'C')).toEqual(['# One', 'B', 'C', 'A', '# Two', 'D'])
  })
  test('a section takes its questions along, and not into itself', () => {
    expect(moved('One', 'D')).toEqual(['A', '# Two', 'D', '# One', 'B', 'C'])
    expect(moved('One', 'B')).toEqual(prompts(draft))
  })
  test.each([
    ['B', -1, ['A', 'B', '# One', 'C', '# Two', 'D']],
    ['C', 1, ['A', '# One', 'B', '# Two', 'C', 'D']],
    ['Two', -1, ['A', '# Two', 'D', '# One', 'B', 'C']],
    ['One', 1, ['A', '# Two', 'D', '# One', 'B', 'C']],
    ['A', -1, ['A', '# One', 'B', 'C', '# Two', 'D']],
    ['D', 1, ['A', '# One', 'B', 'C', '# Two', 'D']],
  ] as const)('%s steps by %i', (name, by, expected) => {
    expect(prompts(stepEntry(draft, idOf(draft, name), by))).toEqual(expected)
  })
  test('a copy of a section has questions of its own', () => {
    const { draft: copied } = duplicateEntry(draft, idOf(draft, 'One'))
    expect(prompts(copied)).toEqual(['A', '# One', 'B', 'C', '# One', 'B', 'C', '# Two', 'D'])
    expect(new Set(copied.entries.map(({ id }) => id)).size).toBe(9)
  })
})

test('options that are renamed keep their finding, removed ones and other kinds lose it', () => {
  const question = { ...newQuestion('State', 'choice'), choices: ['Good', 'Bad'], findingWhen: ['Bad'] }
  const draft = { name: '', description: '', entries: [question] }
  const findings = (change: object): unknown => changeQuestion(draft, question.id, change).entries[0]
  expect(findings({ choices: ['Good', 'Broken'] })).toMatchObject({ findingWhen: ['Broken'] })
  expect(findings({ choices: ['Good'] })).toMatchObject({ findingWhen: [] })
  expect(findings({ kind: 'yes_no' })).toMatchObject({ findingWhen: [] })
})

test('what is missing is named by entry', () => {
  const entries = [
    newQuestion(' '),
    newSection(''),
    { ...newQuestion('State', 'choice'), choices: ['Good', ' '] },
    { ...newQuestion('Bar', 'reading'), min: 'x' },
    { ...newQuestion('Bar', 'reading'), min: '5', max: '4' },
    { ...newQuestion('Bar', 'reading'), max: '4' },
  ]
  const toNumber = (text: string): number | undefined => (Number.isNaN(Number(text)) ? undefined : Number(text))
  const problems = problemsOf({ name: '', description: '', entries }, toNumber)
  expect(entries.map(({ id }) => problems.get(id))).toEqual([
    'prompt',
    'section',
    'choices',
    'number',
    'limits',
    undefined,
  ])
})

describe('saving', () => {
  test('a draft changes in place, and is read as it was written', () => {
    const store = new Store()
    const reading = {
      ...newQuestion('Bar', 'reading'),
      min: '1.5',
      max: '4',
      unit: 'bar',
      findingWhen: ['out_of_range'],
    }
    const choice = { ...newQuestion('State', 'choice'), choices: ['Good', 'Bad', 'Gone'], findingWhen: ['Bad', 'Gone'] }
    const draft = { ...draftFrom('A\nOne:\nB'), entries: [...draftFrom('A\nOne:\nB').entries, reading, choice] }
    store.save(draft, false)
    const withoutSectionIds = ({ entries }: ChecklistDraft): unknown =>
      entries.map((entry) => (entry.type === 'section' ? entry.title : entry))
    expect(withoutSectionIds(store.draft)).toEqual(withoutSectionIds(draft))
    expect(store.save(store.draft, false)).toEqual([])
    store.save(removeEntry(changeQuestion(store.draft, reading.id, { prompt: 'Pressure' }), choice.id), false)
    expect(store.stored.items).toHaveLength(3)
    expect(store.rows.get(reading.id)).toMatchObject({ prompt: 'Pressure', since: 1 })
  })

  test('records already begun keep their questions, whatever is changed after publishing', () => {
    const store = new Store()
    store.save(draftFrom('A\nB\nC'), true)
    expect(store.rows.get('t')).toMatchObject({ active: 1, version: 1 })
    const first = store.draft
    store.save(
      removeEntry(
        changeQuestion(moveEntry(first, idOf(first, 'C'), idOf(first, 'A')), idOf(first, 'B'), { prompt: 'B2' }),
        idOf(first, 'A'),
      ),
      true,
    )
    store.save(changeQuestion(store.draft, idOf(store.draft, 'C'), { isRequired: false }), true)
    expect(store.rows.get('t')).toMatchObject({ version: 3 })
    expect(store.asked(1).toSorted()).toEqual(['A', 'B', 'C'])
    expect(store.asked(2)).toEqual(['C', 'B2'])
    expect(questionsOf(checklist, store.stored.items, 1).every(({ isRequired }) => isRequired)).toBe(true)
    expect(questionsOf(checklist, store.stored.items, 3).map(({ isRequired }) => isRequired)).toEqual([false, true])
    expect(store.draft.entries.map(({ id }) => id)).not.toContain(idOf(first, 'C'))
  })

  test('order, sections and help of a published checklist change without a new version', () => {
    const store = new Store()
    store.save(draftFrom('A\nB'), true)
    const { draft } = store
    const next = changeQuestion(moveEntry(draft, idOf(draft, 'B'), idOf(draft, 'A')), idOf(draft, 'A'), {
      help: 'Look up',
    })
    const changes = store.save({ ...next, entries: [newSection('One'), ...next.entries] }, true)
    expect(changes.every(({ kind }) => kind === 'update')).toBe(true)
    expect(store.rows.get('t')).toMatchObject({ version: 1 })
    expect(store.asked(1)).toEqual(['B', 'A'])
  })

  test('limits that Postgres writes in another way are the same', () => {
    const store = new Store()
    const bar = { ...newQuestion('Bar', 'reading'), min: '2.5' }
    store.save({ ...draftFrom(''), entries: [bar] }, true)
    store.rows.set(bar.id, { ...store.rows.get(bar.id), min: '2.50' })
    expect(store.save(store.draft, true)).toEqual([])
  })

  test('a copy is a draft with the current questions', () => {
    const store = new Store()
    store.save(draftFrom('A\nB'), true)
    store.save(removeEntry(store.draft, idOf(store.draft, 'A')), true)
    const { id, changes } = copyOf(checklist, store.stored, 'Copy')
    const rows = apply(new Map(), changes)
    expect(rows.get(id)).toMatchObject({ name: 'Copy', active: 0, version: 0 })
    expect([...rows.values()].filter((row) => row['checklist'] === id)).toMatchObject([{ prompt: 'B', since: 1 }])
  })
})

test('a record has the version of its first answer, and a draft its first version', () => {
  const answer = (version: number | null): RecordValues => ({ id: 'a', version })
  expect(versionBegun(checklist, [answer(3), answer(2), answer(null)], 5)).toBe(2)
  expect(versionBegun(checklist, [], 5)).toBe(5)
  expect(versionBegun(checklist, [], 0)).toBe(1)
})
