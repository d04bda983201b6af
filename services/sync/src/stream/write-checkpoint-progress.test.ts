import type { Lsn } from '@holdfast/replication'
import { expect, test } from 'vitest'
import type { WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import { afterAsked, afterPosition, afterRead, NOTHING_READ } from './write-checkpoint-progress.ts'

const at = (lsn: bigint): Lsn => lsn as Lsn
const checkpoint = (id: bigint, lsn: bigint): WriteCheckpoint => ({ id, lsn: at(lsn) })

test('a device that has written nothing waits for nothing', () => {
  const progress = afterRead(NOTHING_READ, undefined)
  expect(progress).toEqual({ isRead: true, pending: [], passed: undefined })
  expect(afterPosition(progress, at(100n))).toBe(progress)
})

test('a write checkpoint is passed when the log has reached its position, not before', () => {
  const progress = afterRead(NOTHING_READ, checkpoint(1n, 50n))
  expect(afterPosition(progress, at(49n))).toBe(progress)
  expect(afterPosition(progress, at(50n))).toEqual({ isRead: true, pending: [], passed: 1n })
})

test('the newest of those that were passed counts, and later ones go on waiting', () => {
  let progress = afterAsked(NOTHING_READ, checkpoint(3n, 30n))
  progress = afterRead(progress, checkpoint(2n, 20n))
  progress = afterAsked(progress, checkpoint(4n, 40n))
  const passed = afterPosition(progress, at(35n))
  expect(passed).toEqual({ isRead: true, pending: [checkpoint(4n, 40n)], passed: 3n })
  expect(afterPosition(passed, at(40n))).toMatchObject({ pending: [], passed: 4n })
})

test('one that was asked for before the older ones were read is not lost', () => {
  const progress = afterRead(afterAsked(NOTHING_READ, checkpoint(5n, 50n)), undefined)
  expect(progress).toEqual({ isRead: true, pending: [checkpoint(5n, 50n)], passed: undefined })
})

test('a request that is repeated waits once', () => {
  const progress = afterAsked(NOTHING_READ, checkpoint(1n, 50n))
  expect(afterAsked(progress, checkpoint(1n, 50n))).toBe(progress)
})
