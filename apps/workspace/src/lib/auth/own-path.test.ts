import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownPath } from './own-path.ts'

test.each(['/', '/w/north/t/actions?record=1#top', '/account'])('%s leads on in this app', (path) => {
  expect(ownPath(path)).toBe(path)
})

test.each([
  undefined,
  '',
  'w/north',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\\evil.example',
  'javascript:alert(1)',
])('%j does not', (path) => {
  expect(ownPath(path)).toBeUndefined()
})

test('no text leads a browser away from this app', () => {
  const text = fc.array(fc.constantFrom('/', '\\', '\t', '\n', '.', ':', '@', '?', '#', 'e', 'evil.example', 'https'))
  fc.assert(
    fc.property(text, (parts) => {
      const path = ownPath(parts.join(''))
      if (path !== undefined) expect(new URL(path, 'https://app.example/sign-in').origin).toBe('https://app.example')
    }),
  )
})
