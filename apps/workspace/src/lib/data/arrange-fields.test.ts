import { afterEach, expect, test, vi } from 'vitest'
import { fieldsOf } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'
import { testTable } from '../fields/test-fields.test-support.ts'
import { headingOf, type StoredField, withFields } from './arrange-fields.ts'
import { toTableInfo } from './tables.ts'

const column = (name: string, comment?: string) =>
  ({
    name,
    type: 'text',
    local: 'text',
    nullable: false,
    hasDefault: false,
    generated: false,
    ...(comment && { comment }),
  }) as const
const table = toTableInfo(
  testTable('actions', [
    column('title'),
    column('due_on', 'Due on. The last day.'),
    column('number', 'Number. Given by the server when left empty.'),
  ]),
)
const stored = (field_name: string, rest: Partial<StoredField> = {}): StoredField => ({
  id: field_name,
  schema_name: 'public',
  table_name: 'actions',
  field_name,
  label: null,
  help: null,
  translations: '{}',
  place: null,
  section: null,
  position: null,
  is_hidden: 0,
  choices: '{}',
  choice_colours: '{}',
  ...rest,
})
const words = (...rows: readonly StoredField[]): readonly (readonly [string, string | undefined])[] => {
  const [dressed] = withFields([table], rows)
  if (!dressed) throw new Error('a table was given')
  const fields = fieldsOf(dressed.descriptor, { version: '1', tables: [dressed.descriptor] })
  return rows.map(({ field_name }) => {
    const field = fields.find(({ name }) => name === field_name)
    return [field?.label ?? '', field?.help]
  })
}

afterEach(() => void vi.unstubAllGlobals())

test('a label and help of the project stand in place of those of the comment, each for itself', () => {
  expect(words(stored('due_on', { label: 'Deadline' }), stored('title', { help: 'What is to be done.' }))).toEqual([
    ['Deadline', 'The last day.'],
    ['Title', 'What is to be done.'],
  ])
})

test("the page's language comes first, and words that cannot be read count as not given", () => {
  vi.stubGlobal('document', { documentElement: { lang: 'de' } })
  expect(
    words(
      stored('due_on', { label: 'Deadline', translations: '{"de": {"label": "Frist"}}' }),
      stored('title', { label: 'Task', translations: '{"de": 1}' }),
      stored('number', { label: 'No. 1' }),
    ),
  ).toEqual([
    ['Frist', 'The last day.'],
    ['Task', undefined],
    ['Number', 'Given by the server when left empty.'],
  ])
})

test('what the owner says that a field is reaches its column', () => {
  const [dressed] = withFields([table], [stored('title', { role: 'state', closed_choices: '["Shut"]' })])
  expect(dressed?.descriptor.columns.find(({ name }) => name === 'title')).toMatchObject({
    use: 'state',
    closed: ['Shut'],
  })
  expect(dressed?.layout?.get('title')?.words).toMatchObject({ role: 'state', closed_choices: '["Shut"]' })
})

test('help of the project does not make a person fill in what the server gives', () => {
  const [dressed] = withFields([table], [stored('number', { help: 'As on the order.' })])
  if (!dressed) throw new Error('a table was given')
  const fields = fieldsOf(dressed.descriptor, { version: '1', tables: [dressed.descriptor] })
  expect(fields.find(({ name }) => name === 'number')?.isRequired).toBe(false)
})

test('a place that the app does not know counts as not given, and a table without rows stays as it is', () => {
  const [dressed] = withFields([table], [stored('title', { place: 'aloft', section: ' Effort ', position: 5 })])
  expect(dressed?.layout?.get('title')).toEqual({
    id: 'title',
    workspace: null,
    words: { label: null, help: null, translations: '{}', choices: '{}' },
    place: undefined,
    section: 'Effort',
    heading: undefined,
    position: 5,
    isHidden: false,
  })
  expect(withFields([table], [stored('title', { table_name: 'sites' })])[0]).toBe(table)
})

test('the workspace that a person works in says it before the project, and other workspaces do not', () => {
  const label = (workspace?: string): string | undefined => {
    const rows = [
      stored('title', { id: '1', label: 'Task', workspace_id: null }),
      stored('title', { id: '2', label: 'Job', workspace_id: 'water' }),
      stored('title', { id: '3', label: 'Duty', workspace_id: 'gas' }),
      stored('number', { id: '4', label: 'Code', workspace_id: 'gas' }),
    ]
    const [dressed] = withFields([table], rows, workspace)
    const fields = dressed && fieldsOf(dressed.descriptor, { version: '1', tables: [dressed.descriptor] })
    return fields?.map(({ label: called }) => called).join()
  }
  expect(label('water')).toMatch(/^Job,.*,Number/)
  expect(label('gas')).toMatch(/^Duty,.*,Code/)
  expect(label('oil')).toMatch(/^Task,.*,Number/)
})

test('choices have the colours that were set, of those that this version knows', () => {
  const coloursOf = (choice_colours: string): unknown => {
    const owned = toTableInfo(testTable('actions', [{ ...column('state'), choices: ['open', 'done'] }]))
    const [given = owned] = withFields([owned], [stored('state', { choice_colours })])
    return fieldsOf(given.descriptor, { version: '1', tables: [] })[0]?.choiceWords.colours
  }
  expect(coloursOf('{"open": "pink", "done": "mauve"}')).toEqual(new Map([['open', 'pink']]))
  for (const choice_colours of ['{}', '[]', '{"open": 1}', 'no JSON'])
    expect(coloursOf(choice_colours), choice_colours).toBeUndefined()
})

test('choices have the words of the project: first those of the language, then its own, then those of the value', () => {
  const state = { ...column('state'), choices: ['open', 'to_verify', 'done'] }
  const owned = toTableInfo(testTable('actions', [state]))
  const row = stored('state', {
    choices: '{"to_verify": "Waits for its check", "open": "New", "done": " "}',
    translations: '{"de": {"choices": {"to_verify": "Zu prüfen"}}}',
  })
  const read = (given: StoredField): readonly string[] => {
    const [dressed] = withFields([owned], [given])
    const [field] = fieldsOf(dressed?.descriptor ?? owned.descriptor, { version: '1', tables: [] })
    return state.choices.map((choice) => choiceWords(choice, field?.choiceWords))
  }
  expect(read(row)).toEqual(['New', 'Waits for its check', 'Done'])
  vi.stubGlobal('document', { documentElement: { lang: 'de' } })
  expect(read(row)).toEqual(['New', 'Zu prüfen', 'Done'])
  for (const choices of ['[]', '{"open": 1}', 'no JSON']) {
    expect(read({ ...row, choices }), choices).toEqual(['Open', 'Zu prüfen', 'Done'])
  }
})

test('a section keeps its name, by which fields are together, and has a heading in the language of the page', () => {
  vi.stubGlobal('document', { documentElement: { lang: 'de' } })
  const rows = [
    stored('due_on', { section: 'Effort', translations: '{"de": {"section": "Aufwand"}}' }),
    stored('number', { section: 'Effort' }),
  ]
  const layout = withFields([table], rows)[0]?.layout ?? new Map()
  expect(layout.get('due_on')).toMatchObject({ section: 'Effort', heading: 'Aufwand' })
  expect(headingOf(layout, 'Effort')).toBe('Aufwand')
  expect(headingOf(layout, 'Other')).toBe('Other')
})
