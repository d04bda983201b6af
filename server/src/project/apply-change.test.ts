import { expect, test } from 'vitest'
import { versionAfter } from './apply-change.ts'

const NOW = new Date('2026-11-30T04:05:06.789Z')

test.each([
  ['', '20261130040506'],
  ['20261130040505', '20261130040506'],
  ['20261130040506', '20261130040507'],
  ['0042', '20261130040506'],
])('after %j comes %s', (last, version) => expect(versionAfter(last, NOW)).toBe(version))

test('after a version that no date reaches comes a longer one', () => {
  expect(versionAfter('9999', NOW) > '9999').toBe(true)
})
