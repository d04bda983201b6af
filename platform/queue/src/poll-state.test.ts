import { expect, test } from 'vitest'
import { transition, type PollEvent, type PollState } from './poll-state.ts'

test.each<[string, readonly PollEvent[], PollState, number]>([
  ['the first wake begins a look, and those during it begin no second', ['woken', 'woken', 'woken'], 'woken', 1],
  ['one look follows for all wakes during a look', ['woken', 'woken', 'woken', 'poll ended'], 'polling', 2],
  ['a look without wakes is followed by a rest', ['woken', 'poll ended', 'poll ended'], 'idle', 1],
  ['no look follows when the worker closes during one', ['woken', 'woken', 'closed', 'poll ended'], 'closed', 1],
  ['no wake begins a look once the worker is closed', ['closed', 'woken', 'closed', 'woken'], 'closed', 0],
])('%s', (_title, events, state, looks) => {
  let now: PollState = 'idle'
  let begun = 0
  for (const event of events) {
    const next = transition(now, event)
    now = next.state
    if (next.isBeginning) begun++
  }
  expect([now, begun]).toEqual([state, looks])
})
