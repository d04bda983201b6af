import { expect, test } from 'vitest'
import { settleText } from './settle-text.ts'

test('lines that two people changed apart are put together', () => {
  expect(settleText('a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD')).toEqual({ kind: 'text', text: 'A\nb\nc\nD' })
  expect(settleText('a', 'b', 'a')).toEqual({ kind: 'text', text: 'b' })
})

test('where both changed the same line, neither version is given up', () => {
  const settled = settleText('a\nb\nc', 'a\nmine\nc', 'a\ntheirs\nc')
  expect(settled).toMatchObject({ kind: 'conflict', conflict: { mine: 'a\nmine\nc', theirs: 'a\ntheirs\nc' } })
  expect(settled.kind === 'conflict' && settled.conflict.both.split('\n')).toEqual(['a', 'theirs', 'mine', 'c'])
})
