import { expect, test } from 'vitest'
import { judgeGate, type GateFacts } from './watch-gate.ts'

const HERE: GateFacts = { sync: 'up_to_date', connected: true, isCutOff: false }

test.each<readonly [title: string, facts: Partial<GateFacts>, verdict: ReturnType<typeof judgeGate>]>([
  ['in step', {}, 'online'],
  ['with a refused change', { sync: 'attention' }, 'online'],
  ['between two streams', { connected: false }, 'doubt'],
  ['with a refused change, between two streams', { sync: 'attention', connected: false }, 'doubt'],
  ['without a network', { isCutOff: true }, 'offline'],
  ['when the server does not answer', { sync: 'no_answer' }, 'offline'],
  ['offline', { sync: 'offline', connected: false }, 'offline'],
  ['without a second factor', { sync: 'second_factor_needed' }, 'offline'],
])('a device %s is %j: %s', (_title, facts, verdict) => {
  expect(judgeGate({ ...HERE, ...facts })).toBe(verdict)
})
