import { describe, expect, test } from 'vitest'
import { formatAgo, formatBytes, formatSince, humanize } from './format.ts'

describe('formatBytes', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [4_120_000, '4.1 MB'],
    [250_000_000, '250 MB'],
  ])('writes %i', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('formatAgo', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  test.each([
    ['2026-11-20T11:59:40Z', 'just now'],
    ['2026-11-20T11:58:50Z', '1 minute ago'],
    ['2026-11-20T09:00:00Z', '3 hours ago'],
    ['2026-11-18T11:00:00Z', '2 days ago'],
  ])('tells %s', (at, text) => {
    expect(formatAgo(new Date(at), now)).toBe(text)
  })
})

describe('formatSince', () => {
  const now = new Date(2026, 10, 20, 12)
  test.each([
    [new Date(2026, 10, 20, 9, 30), /^0?9:30/],
    [new Date(2026, 10, 19, 17, 30), /^yesterday (5|17):30/],
    [new Date(2026, 10, 18, 17, 30), /18.*(5|17):30/],
  ])('tells %s', (at, text) => {
    expect(formatSince(at, now)).toMatch(text)
  })
})

describe('humanize', () => {
  test.each([
    ['template_items', 'Template items'],
    ['site_id', 'Site'],
    ['hf_members', 'Members'],
    ['id', 'ID'],
  ])('turns %s into words', (name, words) => {
    expect(humanize(name)).toBe(words)
  })
})
