import { expect, test } from 'vitest'
import { createReaderProgress } from './reader-progress.ts'

test('a transaction that is still arriving waits on when those before it are in the log', () => {
  const progress = createReaderProgress()
  progress.began(100)
  progress.began(200)
  progress.applied(true)
  expect([progress.lastCommitMs, progress.waitingSinceMs]).toEqual([100, 200])
  progress.applied(false)
  expect([progress.lastCommitMs, progress.waitingSinceMs]).toEqual([200, undefined])
})
