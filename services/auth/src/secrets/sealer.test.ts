import { expect, test } from 'vitest'
import { createSealer } from './sealer.ts'

const sealer = createSealer(Buffer.from('a secret for tests, which is long enough'))

test('a sealed secret opens for its row, and shows nothing of itself', () => {
  const sealed = sealer.seal('row-1', 'shh')
  expect(sealed).not.toContain('shh')
  expect(sealer.open('row-1', sealed)).toBe('shh')
})

test.each([
  ['another row', () => sealer.open('row-2', sealer.seal('row-1', 'shh'))],
  [
    'another key',
    () => createSealer(Buffer.from('another secret, which is long enough')).open('row-1', sealer.seal('row-1', 'shh')),
  ],
  ['a changed text', () => sealer.open('row-1', withOtherEnd(sealer.seal('row-1', 'shh')))],
  ['a cut text', () => sealer.open('row-1', 'sealed:v1:AAAA')],
])('it does not open for %s', (_name, open) => {
  expect(open()).toBeUndefined()
})

test('a secret that came in the clear, from a dump, stays usable', () => {
  expect(sealer.open('row-1', 'plain')).toBe('plain')
})

/** Changes the second-to-last character, which encodes six bits of the seal. */
function withOtherEnd(sealed: string): string {
  return `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`
}
