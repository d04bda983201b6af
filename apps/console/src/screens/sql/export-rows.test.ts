import { expect, test } from 'vitest'
import { toCsv, toJson } from './export-rows.ts'

const result = {
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'note', type: 'text' },
    { name: 'id', type: 'integer' },
  ],
  rows: [
    ['1', 'a "quoted", line\nbreak', '2'],
    ['3', null, ''],
  ],
}

test('CSV tells NULL from an empty text, and quotes what needs it', () => {
  expect(toCsv(result)).toBe('id,note,id\r\n1,"a ""quoted"", line\nbreak",2\r\n3,,""\r\n')
})

test('JSON keeps columns with equal names apart', () => {
  expect(JSON.parse(toJson(result))).toEqual([
    { id: '1', note: 'a "quoted", line\nbreak', id_2: '2' },
    { id: '3', note: null, id_2: '' },
  ])
})
