import { describe, expect, test } from 'vitest'
import { labelOfName } from '../data/column-words.ts'
import { fieldsOf, offeredChoices } from './field.ts'
import { TEST_FIELDS, TEST_SCHEMA, testColumn, testField, testTable } from './test-fields.test-support.ts'

describe('labelOfName', () => {
  test.each([
    ['due_on', 'Due'],
    ['submitted_at', 'Submitted'],
    ['site_id', 'Site'],
    ['is_out_of_range', 'Out of range'],
    ['id', 'ID'],
    ['on', 'On'],
  ])('turns %s into %s', (name, label) => {
    expect(labelOfName(name)).toBe(label)
  })
})

describe('fieldsOf', () => {
  test('puts the title and the state first, and what the database keeps last', () => {
    expect(TEST_FIELDS.map(({ name }) => name)).toEqual([
      'title', 'state', 'site_id', 'points', 'cost', 'ratio', 'due_on', 'seen_at', 'urgent', 'contact_email', 'website',
      'tags', 'detail', 'id',
    ]) // prettier-ignore
  })

  test.each([
    ['title', 'text'],
    ['state', 'choice'],
    ['site_id', 'link'],
    ['points', 'integer'],
    ['cost', 'number'],
    ['due_on', 'date'],
    ['seen_at', 'datetime'],
    ['urgent', 'boolean'],
    ['tags', 'json'],
    ['contact_email', 'email'],
    ['website', 'url'],
    ['detail', 'long_text'],
    ['id', 'uuid'],
  ])('shows %s as %s', (name, kind) => {
    expect(testField(name).kind).toBe(kind)
  })

  test('takes the label from the first sentence of the comment and the help from the rest', () => {
    const table = testTable('visits', [
      testColumn('score', 'integer', { comment: 'Result. Share of good answers, in percent.' }),
    ])
    expect(fieldsOf(table, TEST_SCHEMA)[0]).toMatchObject({
      label: 'Result',
      help: 'Share of good answers, in percent.',
    })
  })

  test('does not ask for what the server fills in', () => {
    const needed = { nullable: false }
    const table = testTable('visits', [
      testColumn('title', 'text', needed),
      testColumn('number', 'text', { ...needed, comment: 'Number. Given by the server when left empty.' }),
    ])
    const required = fieldsOf(table, TEST_SCHEMA).filter(({ isRequired }) => isRequired)
    expect(required.map(({ name }) => name)).toEqual(['title'])
  })

  test('offers the choices that are allowed, and keeps a value that is none of them', () => {
    const state = testField('state')
    expect(offeredChoices(state, 'open', new Set(['to_verify']))).toEqual(['open', 'doing'])
    expect(offeredChoices(state, 'to_verify', new Set(['to_verify']))).toEqual(['open', 'doing', 'to_verify'])
    expect(offeredChoices(state, 'imported')).toEqual(['open', 'doing', 'to_verify', 'imported'])
    expect(offeredChoices(state, null)).toEqual(['open', 'doing', 'to_verify'])
  })

  test('shows a reference to a table that is not here as an id', () => {
    const table = testTable('visits', [
      testColumn('user_id', 'uuid', { references: { table: 'auth__users', column: 'id' } }),
    ])
    expect(fieldsOf(table, TEST_SCHEMA).find(({ name }) => name === 'user_id')).toMatchObject({
      kind: 'uuid',
      link: undefined,
    })
  })
})
