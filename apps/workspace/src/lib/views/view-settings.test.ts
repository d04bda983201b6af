import { expect, test } from 'vitest'
import { addressOf, hasChanges, mergeSettings, parseSettings, renderSettings } from './view-settings.ts'

const SAVED = { filter: 'all(state.in.open)', sort: 'due_on' }

test('a stored view is read by its texts, whatever else is in it', () => {
  expect(parseSettings('{"filter":"all(a.filled)","sort":3,"hide":"","wip":{"open":5}}')).toEqual({
    filter: 'all(a.filled)',
  })
  for (const broken of [null, '', 'x', '[]', 'null', '3']) expect(parseSettings(broken)).toEqual({})
})

test('saving keeps what this version does not know, and forgets settings that were taken away', () => {
  const stored = '{"filter":"all(a.filled)","sort":"a","wip":{"open":5}}'
  expect(JSON.parse(renderSettings(stored, { sort: '-b', filter: '' }))).toEqual({ wip: { open: 5 }, sort: '-b' })
})

test('the address goes before the view, and an empty text there takes a setting away', () => {
  expect(mergeSettings(SAVED, {})).toEqual(SAVED)
  expect(mergeSettings(SAVED, { s: '-title', h: 'detail' })).toEqual({ ...SAVED, sort: '-title', hide: 'detail' })
  expect(mergeSettings(SAVED, { f: '' })).toEqual({ sort: 'due_on' })
})

test('a setting that is as saved is not in the address', () => {
  expect(addressOf(SAVED, 'sort', 'due_on')).toEqual({ s: undefined })
  expect(addressOf(SAVED, 'sort', undefined)).toEqual({ s: '' })
  expect(addressOf({}, 'sort', undefined)).toEqual({ s: undefined })
  expect(addressOf({}, 'sort', 'title')).toEqual({ s: 'title' })
})

test('a link that says what the view says changes nothing', () => {
  expect(hasChanges(SAVED, {})).toBe(false)
  expect(hasChanges(SAVED, { s: 'due_on' })).toBe(false)
  expect(hasChanges(SAVED, { s: '' })).toBe(true)
  expect(hasChanges({}, { f: 'all(a.filled)' })).toBe(true)
})
