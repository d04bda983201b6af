import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isWhatItSays, parseOfferedFiles } from './offered-files.ts'

const QUESTIONS = [
  { field: 'photos', label: 'Photos', kind: 'files', files: { max: 2, megabytes: 1, kinds: 'photos' } },
  { field: 'papers', label: 'Papers', kind: 'files', files: { max: 10, megabytes: 25, kinds: 'any' } },
  { field: 'title', kind: 'text' },
] as const
const file = (given: object) => ({
  id: randomUUID(),
  field: 'photos',
  name: 'leak.jpg',
  type: 'image/jpeg',
  size: 1_000,
  ...given,
})
const read = (...given: readonly object[]) => parseOfferedFiles(given, QUESTIONS)

test('files are refused with what to do', () => {
  expect(() => read(file({}), file({}), file({}))).toThrow('Photos takes 2 files at most.')
  expect(() => read(file({ size: 1_048_577 }))).toThrow('leak.jpg is larger than 1 MB.')
  expect(() => read(file({ type: 'application/pdf' }))).toThrow('leak.jpg is not a photo.')
  expect(() => read(file({ type: 'image/svg+xml' }))).toThrow('leak.jpg is not a photo.')
  const large = { field: 'papers', size: 25 * 1_048_576 }
  expect(() => read(...Array.from({ length: 5 }, () => file(large)))).toThrow('100 MB at most')
})

test.each([
  [[]],
  [[{}]],
  [[file({ field: 'title' })]],
  [[file({ field: 'id' })]],
  [[file({ size: 0 })]],
  [[file({ size: -1 })]],
  [[file({ size: 1.5 })]],
  [[file({ id: '../../etc/passwd' })]],
  [[file({ id: '00000000-0000-4000-8000-000000000000' }), file({ id: '00000000-0000-4000-8000-000000000000' })]],
])('what is no file of a question is refused: %j', (given) => {
  expect(() => parseOfferedFiles(given, QUESTIONS)).toThrow('Send id, field, name')
})

test('names lose folders and hidden characters, and types that browsers run are not kept', () => {
  const names = ['../../x.pdf', String.raw`C:\fakepath\x.pdf`, 'a\u202Efdp.exe', '\u0000', `${'x'.repeat(300)}.pdf`]
  const of = (given: object) => read(file({ field: 'papers', ...given }))[0]
  expect(names.map((name) => of({ name })?.name.slice(-12))).toEqual([
    'x.pdf',
    'x.pdf',
    'afdp.exe',
    'file',
    'xxxxxxxx.pdf',
  ])
  const types = ['text/html', 'image/svg+xml', 'Application/PDF; x=1', 'a b', '']
  expect(types.map((type) => of({ type })?.media_type)).toEqual([
    'application/octet-stream',
    'application/octet-stream',
    'application/pdf',
    'application/octet-stream',
    'application/octet-stream',
  ])
})

test('a photo has the first bytes of one', () => {
  expect(isWhatItSays('image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe(true)
  expect(isWhatItSays('image/heic', Buffer.from('\0\0\0\x18ftypheic'))).toBe(true)
  expect(isWhatItSays('image/png', Buffer.from('<html><script>'))).toBe(false)
  expect(isWhatItSays('application/pdf', Buffer.from('anything'))).toBe(true)
})
