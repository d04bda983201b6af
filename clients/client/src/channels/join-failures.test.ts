import { expect, test } from 'vitest'
import { NO_TROUBLE, transition, type Trouble, type TroubleEvent } from './join-failures.ts'

const DOWN = 'the socket was closed'
const REFUSED = 'Unauthorized: You do not have permissions to read from this Channel topic: a'
const failed = (reason: string, isStable = false): TroubleEvent => ({ kind: 'failed', reason, isStable })
const DELAY_OVER = { kind: 'delay over' } as const
const JOINED = { kind: 'joined' } as const
const RESET = { kind: 'reset' } as const

test.each<[string, readonly TroubleEvent[], Trouble]>([
  ['a failure is waited out', [failed(DOWN)], { kind: 'waiting', reason: DOWN, failures: 1 }],
  [
    'a failure that is reported twice counts once',
    [failed(DOWN), failed('CLOSED')],
    { kind: 'waiting', reason: DOWN, failures: 1 },
  ],
  [
    'a failure keeps its reason while the channel is joined again',
    [failed(DOWN), DELAY_OVER],
    { kind: 'retrying', reason: DOWN, failures: 1 },
  ],
  [
    'failures count until one comes after a stable membership',
    [failed(DOWN), DELAY_OVER, JOINED, failed(DOWN)],
    { kind: 'waiting', reason: DOWN, failures: 2 },
  ],
  [
    'a failure after a stable membership is the first',
    [failed(DOWN), DELAY_OVER, JOINED, failed(DOWN, true)],
    { kind: 'waiting', reason: DOWN, failures: 1 },
  ],
  [
    'a refusal is not retried, and not lifted by a late delay or failure',
    [failed(REFUSED), DELAY_OVER, failed(DOWN)],
    { kind: 'refused', reason: REFUSED, failures: 1 },
  ],
  ['a refusal ends with another user or token', [failed(REFUSED), RESET], NO_TROUBLE],
  ['a delay that ends after another user came changes nothing', [failed(DOWN), RESET, DELAY_OVER], NO_TROUBLE],
])('%s', (_title, events, trouble) => {
  expect(events.reduce(transition, NO_TROUBLE)).toEqual(trouble)
})
