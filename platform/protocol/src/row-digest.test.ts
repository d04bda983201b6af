import { expect, test } from 'vitest'
import { digestRow, rangeOfKey, RangeSums } from './row-digest.ts'

const IDS = Array.from({ length: 20_000 }, (_, n) => `row ${n}`)

test('different rows have different digests, also where they differ by one character, its place, or id and text', () => {
  const variants = [
    ['a', '{"x":1}'],
    ['a', '{"x":2}'],
    ['b', '{"x":1}'],
    ['a', '{"1":x}'],
    ['a{', '"x":1}'],
    ['', ''],
    ['', '\0'],
    ['\0', ''],
    ['a', '{"x":"é"}'],
    ['a', '{"x":"ê"}'],
    ['a', '{"x":"日本"}'],
    ['a', '{"x":"本日"}'],
  ] as const
  const digests = [...variants.map(([id, data]) => digestRow(id, data)), ...IDS.map((id) => digestRow(id, '{}'))]
  expect(new Set(digests).size).toBe(digests.length)
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{16}$/)
})

test('a range has the same sum whatever the order of its rows, and another one when a row is missing, twice, or swapped', () => {
  const sum = (rows: readonly (readonly [string, string])[]): unknown => {
    const sums = new RangeSums(4)
    for (const [id, data] of rows) sums.add(id, data)
    return sums.list()
  }
  const rows = IDS.slice(0, 50).map((id, n) => [id, `{"n":${n}}`] as const)
  const [first, second] = rows as [readonly [string, string], readonly [string, string]]
  expect(sum(rows.toReversed())).toEqual(sum(rows))
  expect(sum(rows.slice(1))).not.toEqual(sum(rows))
  expect(sum([...rows, first])).not.toEqual(sum(rows))
  expect(sum([[first[0], second[1]], [second[0], first[1]], ...rows.slice(2)])).not.toEqual(sum(rows))
})

test('keys spread evenly over the ranges, and twice as many ranges halve each', () => {
  const counts = new Map<number, number>()
  for (const id of IDS) {
    const range = rangeOfKey(id, 64)
    counts.set(range, (counts.get(range) ?? 0) + 1)
    expect(Math.floor(rangeOfKey(id, 128) / 2)).toBe(range)
  }
  expect(counts.size).toBe(64)
  expect(Math.max(...counts.values())).toBeLessThan((IDS.length / 64) * 1.5)
})
