import { expect, test } from 'vitest'
import { recordId } from './record-id.ts'

test('the id of a new row is the text of its key', () => {
  expect(recordId({ name: 'tasks' }, { id: 'x', title: 'a' })).toBe('x')
  expect(recordId({ name: 'codes', key: ['code'] }, { code: 'a "b"' })).toBe('a "b"')
  expect(recordId({ name: 'days', key: ['no', 'on', 'yes'] }, { no: 7, on: '2024-02-29', yes: true })).toBe(
    '["7","2024-02-29","1"]',
  )
  expect(recordId({ name: 'big', key: ['a', 'b'] }, { a: 9007199254740993n, b: '' })).toBe('["9007199254740993",""]')
})

test('a key without a value makes none', () => {
  expect(() => recordId({ name: 'codes', key: ['code'] }, { code: null })).toThrow('codes needs a value for code')
})
