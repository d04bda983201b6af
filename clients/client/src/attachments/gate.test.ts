import { expect, test } from 'vitest'
import { judgeGate, type GateFacts } from './gate.ts'

const open: GateFacts = {
  isPausedByUser: false,
  usesMetered: false,
  isMetered: false,
  isOffline: false,
  needsSignIn: false,
  isWanted: true,
}

test.each<[Partial<GateFacts>, ReturnType<typeof judgeGate>]>([
  [{}, undefined],
  [{ isMetered: true }, 'metered'],
  [{ isMetered: true, usesMetered: true }, undefined],
  [{ isOffline: true, isMetered: true }, 'offline'],
  [{ isWanted: false, isOffline: true }, 'disconnected'],
  [{ needsSignIn: true, isWanted: false }, 'sign_in'],
  [{ isPausedByUser: true, needsSignIn: true }, 'person'],
])('with %j transfers pause because of %s', (facts, pause) => {
  expect(judgeGate({ ...open, ...facts })).toBe(pause)
})
