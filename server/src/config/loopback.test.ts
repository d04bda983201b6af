import { expect, test } from 'vitest'
import { servesThisMachineOnly } from './loopback.ts'

const LOCAL = { host: '127.0.0.1', externalUrl: undefined, trustProxy: [] }

test.each([
  ['on loopback', LOCAL, true],
  ['on every address', { ...LOCAL, host: '0.0.0.0' }, false],
  ['behind a proxy on this machine, by its address', { ...LOCAL, externalUrl: 'https://data.example.org' }, false],
  ['behind a proxy on this machine, that is believed', { ...LOCAL, trustProxy: ['loopback'] }, false],
])('whether a server %s is for this machine only', (_where, config, expected) => {
  expect(servesThisMachineOnly(config)).toBe(expected)
})
