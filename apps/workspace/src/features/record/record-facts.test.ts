import { describe, expect, test } from 'vitest'
import { NONE_GIVEN } from '../../lib/data/column-words.ts'
import { fieldsOf } from '../../lib/fields/field.ts'
import { TEST_FIELDS, TEST_SITES, testColumn, testTable } from '../../lib/fields/test-fields.test-support.ts'
import { recordFacts } from './record-facts.ts'

const ID = '01931f60-0000-7000-8000-000000000001'
const NO_LABELS = new Map<string, string>()

describe('the header of a record', () => {
  test('says its title and its own state', () => {
    expect(recordFacts(TEST_FIELDS, { title: 'Replace the valve', state: 'doing' }, NO_LABELS, ID)).toEqual({
      title: 'Replace the valve',
      choice: { choice: 'doing', among: ['open', 'doing', 'to_verify'], words: NONE_GIVEN },
      number: '',
    })
  })

  test('names a record without a title by the beginning of its id', () => {
    expect(recordFacts(TEST_FIELDS, { title: '' }, NO_LABELS, ID).title).toBe('01931f60')
    expect(recordFacts([], {}, NO_LABELS, ID)).toEqual({ title: '01931f60', choice: undefined, number: '' })
  })

  test('says the number or code that people use, once', () => {
    const table = testTable('orders', [testColumn('title', 'text'), testColumn('number', 'integer')])
    const fields = fieldsOf(table, { version: '1', tables: [table, TEST_SITES] })
    expect(recordFacts(fields, { title: 'Pump', number: 41 }, NO_LABELS, ID)).toMatchObject({
      title: 'Pump',
      number: '41',
    })
    const coded = testTable('codes', [testColumn('code', 'text')])
    const own = fieldsOf(coded, { version: '1', tables: [coded] })
    const facts = recordFacts(own, { code: 'A-7' }, NO_LABELS, ID)
    expect([facts.title, facts.number].filter((text) => text === 'A-7')).toHaveLength(1)
  })

  test('has no state where the column is not one of choices', () => {
    const table = testTable('notes', [testColumn('title', 'text'), testColumn('state', 'text')])
    const fields = fieldsOf(table, { version: '1', tables: [table] })
    expect(recordFacts(fields, { title: 'a', state: 'open' }, NO_LABELS, ID).choice).toBeUndefined()
  })
})
