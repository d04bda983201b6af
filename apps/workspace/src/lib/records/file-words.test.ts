import { expect, test } from 'vitest'
import { fileWords } from './file-words.ts'
import { deriveMarks, type UnsentFiles } from './record-state.ts'

const NONE = { waiting: 0, sending: 0, refused: 0, videos: 0, bytes: 0, sent_bytes: 0, problem: null }
const wordsOf = (files: Partial<UnsentFiles>, waiting: readonly string[] = []): unknown => {
  const marks = deriveMarks({
    table: 'findings',
    waiting: waiting.map((id) => ({ id, is_next: 0, fields: '[["title"]]', at: null })),
    files: [{ id: 'a', ...NONE, ...files }],
    rejected: [],
    isSending: false,
    confirming: new Set(['a']),
  })
  const mark = marks.get('a')
  return [mark?.state, fileWords(mark)]
}

test('a record whose photos wait, are being sent, or were refused says so', () => {
  expect(wordsOf({ waiting: 2 })).toEqual(['waiting', { text: '2 photos not sent yet', percent: undefined }])
  expect(wordsOf({ waiting: 1, sending: 1, bytes: 200, sent_bytes: 86 })).toEqual([
    'sending',
    { text: 'Sending 2 photos', percent: '43 %' },
  ])
  const problem = JSON.stringify({ code: 'EntityTooLarge', message: 'Too large' })
  expect(wordsOf({ refused: 1, problem })).toEqual([
    'rejected',
    { text: '1 photo not accepted: the file is too large', percent: undefined },
  ])
})

test('with a video among them they are files', () => {
  expect(wordsOf({ waiting: 2, videos: 1 })).toEqual(['waiting', { text: '2 files not sent yet', percent: undefined }])
  expect(wordsOf({ sending: 1, videos: 1, bytes: 8, sent_bytes: 2 })).toEqual([
    'sending',
    { text: 'Sending 1 file', percent: '25 %' },
  ])
})

test('a change of the record itself is said first', () => {
  expect(wordsOf({ sending: 1 }, ['a'])).toEqual(['waiting', undefined])
})
