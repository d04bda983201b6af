import { expect, test } from 'vitest'
import { editFieldChange, type FieldEdits } from './field-edits.ts'

const edits: FieldEdits = {
  column: 'state',
  before: { label: 'State', choices: ['open', 'done'], isRequired: false },
  label: 'State',
  options: [
    { was: 'open', text: 'open' },
    { was: 'done', text: 'done' },
  ],
  isRequired: false,
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

test('another order is a change, and so is a removed option', () => {
  expect(change({ options: edits.options.toReversed() })).toMatchObject({ choices: ['done', 'open'], renamed: {} })
  expect(change({ options: edits.options.slice(1) })).toMatchObject({ choices: ['done'], renamed: {} })
})
