import { expect, test } from 'vitest'
import { editFieldChange, type FieldEdits } from './field-edits.ts'

const edits: FieldEdits = {
  column: 'state',
  before: { label: 'State', choices: ['open', 'done'], isRequired: false, format: undefined },
  label: 'State',
  options: [
    { was: 'open', text: 'open' },
    { was: 'done', text: 'done' },
  ],
  isRequired: false,
  format: undefined,
}
const change = (of: Partial<FieldEdits>): object | undefined => editFieldChange({ ...edits, ...of })

test('what was not edited is not in the change', () => {
  expect(change({ label: ' State ' })).toBeUndefined()
  expect(change({ label: 'Condition' })).toEqual({ kind: 'edit_field', field: 'state', label: 'Condition' })
  expect(change({ isRequired: true })).toEqual({ kind: 'edit_field', field: 'state', required: true })
})

test('options keep their records when they are renamed, and merge when two get one name', () => {
  const options = [
    { was: 'open', text: 'Open ' },
    { was: 'done', text: 'Open' },
    { was: undefined, text: 'Later' },
    { was: undefined, text: ' ' },
  ]
  expect(change({ options })).toEqual({
    kind: 'edit_field',
    field: 'state',
    choices: ['Open', 'Later'],
    renamed: { open: 'Open', done: 'Open' },
  })
})

test('a use and closed options are sent when they differ, with all closed options', () => {
  const before = { ...edits.before, use: 'due' as const, finished: ['done', 'dropped'] }
  expect(change({ before, use: 'due' })).toBeUndefined()
  expect(change({ before })).toEqual({ kind: 'edit_field', field: 'state', role: null })
  const options = [
    { was: 'open', text: 'Shut', isClosed: true },
    { was: 'done', text: 'done' },
    { was: undefined, text: 'later' },
  ]
  expect(change({ before, use: 'due', options })).toMatchObject({
    renamed: { open: 'Shut' },
    closed: ['Shut', 'done'],
  })
  const again = options.map((option) => ({ ...option, isClosed: option.was === 'done' }))
  expect(change({ before, use: 'due', options: again })).not.toHaveProperty('closed')
})

test('colours are sent with all others of the field once one of them changes', () => {
  const before = { ...edits.before, colours: new Map([['done', 'teal' as const]]) }
  const options = [
    { was: 'open', text: 'open', colour: undefined },
    { was: 'done', text: 'done', colour: 'teal' as const },
  ]
  expect(change({ before, options })).toBeUndefined()
  expect(change({ before, options: [{ was: 'open', text: 'open', colour: 'pink' }, ...options.slice(1)] })).toEqual({
    kind: 'edit_field',
    field: 'state',
    colours: { open: 'pink', done: 'teal' },
  })
  expect(change({ before, options: options.map((one) => ({ ...one, colour: undefined })) })).toMatchObject({
    colours: {},
  })
})

test('a format is changed and taken away', () => {
  const euro = { kind: 'currency', code: 'EUR' } as const
  expect(change({ format: euro })).toEqual({ kind: 'edit_field', field: 'state', format: euro })
  expect(change({ before: { ...edits.before, format: euro }, format: { ...euro } })).toBeUndefined()
  expect(change({ before: { ...edits.before, format: euro } })).toMatchObject({ format: null })
})

test('another order is a change, and so is a removed option', () => {
  expect(change({ options: edits.options.toReversed() })).toMatchObject({ choices: ['done', 'open'], renamed: {} })
  expect(change({ options: edits.options.slice(1) })).toMatchObject({ choices: ['done'], renamed: {} })
})

test('an option shown under another text than its value keeps the value, and only its text changes', () => {
  const before = { ...edits.before, choices: ['new', 'in_progress', 'done'] }
  const shown = [
    { was: 'new', shown: 'Neu', text: 'Neu' },
    { was: 'in_progress', shown: 'In Arbeit', text: 'In Arbeit' },
    { was: 'done', shown: 'Erledigt', text: 'Erledigt', isClosed: true },
  ]
  const edited = { ...edits, before: { ...before, finished: ['done'] } }
  expect(editFieldChange({ ...edited, options: shown })).toBeUndefined()
  const [first, second, third] = shown
  expect(first && second && third).toBeDefined()
  const options = [{ ...first!, text: 'Eingang' }, second!, third!, { was: undefined, text: 'new' }]
  expect(editFieldChange({ ...edited, options })).toEqual({
    kind: 'edit_field',
    field: 'state',
    choices: ['new', 'in_progress', 'done', 'new 2'],
    renamed: {},
    words: { new: 'Eingang', 'new 2': 'new' },
  })
  expect(editFieldChange({ ...edited, options: [{ ...first!, text: 'Erledigt' }, second!, third!] })).toMatchObject({
    choices: ['done', 'in_progress'],
    renamed: { new: 'done' },
  })
})

test('two options that were shown alike before stay two', () => {
  const before = { ...edits.before, choices: ['open', 'Open'] }
  const options = [
    { was: 'open', shown: 'Open', text: 'Open' },
    { was: 'Open', shown: 'Open', text: 'Open' },
  ]
  expect(change({ before, options })).toBeUndefined()
})
