import { expect, test } from 'vitest'
import { PREVIEW_ROWS_MAX } from '../limits.ts'
import { compareRows, mustRead, type Side } from './compare-rows.ts'

const side = (...keys: readonly string[]): Side => ({
  summary: { rows: keys.length, sum: keys.join(), bytes: keys.length * 10 },
  rows: keys.map((key) => ({ key: [key[0] ?? ''], hash: key, bytes: 10 })),
})
const many: Side = { summary: { rows: PREVIEW_ROWS_MAX + 1, sum: 'many', bytes: 500 }, rows: undefined }
const failing: Side = { summary: { problem: 'division by zero' }, rows: undefined }

test('rows are gained, lost and changed by key and values, and gained and changed ones are downloaded', () => {
  expect(compareRows(side('a1', 'b1', 'c1'), side('b1', 'c2', 'd1'), 'none')).toEqual({
    before: 3,
    after: 3,
    changes: { gained: 1, lost: 1, changed: 1, gainedKeys: ['d'], lostKeys: ['a'] },
    download: { rows: 2, bytes: 20, bound: 'exact' },
  })
})

test('a table whose buckets are new is downloaded again, also with the same rows', () => {
  expect(compareRows(side('a', 'b'), side('a', 'b'), 'all')).toMatchObject({
    changes: { gained: 0, lost: 0 },
    download: { rows: 2, bytes: 20, bound: 'exact' },
  })
  expect(compareRows(side('a', 'b'), side('a', 'b'), 'some').download).toEqual({ rows: 2, bytes: 20, bound: 'most' })
})

test('a table that devices no longer have loses all rows', () => {
  const gone = { summary: undefined, rows: undefined }
  expect(compareRows(side('a', 'b'), gone, 'none')).toMatchObject({
    after: 0,
    changes: { lost: 2 },
    download: { rows: 0, bytes: 0 },
  })
})

test('above the limit rows are not compared, and nothing is said that is not known', () => {
  expect(mustRead(side('a').summary, many.summary)).toBe(false)
  expect(compareRows(side('a'), many, 'none')).toEqual({ before: 1, after: PREVIEW_ROWS_MAX + 1 })
  expect(compareRows(many, many, 'all').download).toEqual({ rows: PREVIEW_ROWS_MAX, bytes: 500, bound: 'least' })
})

test('a policy that fails leaves its side unknown', () => {
  expect(mustRead(side('a').summary, failing.summary)).toBe(false)
  expect(compareRows(side('a'), failing, 'all')).toEqual({ before: 1, problem: 'division by zero' })
  expect(compareRows(failing, side('a'), 'all')).toEqual({ problemBefore: 'division by zero', after: 1 })
})
