import { expect, test } from 'vitest'
import type { Lsn } from '../lsn.ts'
import { SlotPositions } from './slot-positions.ts'

const lsn = (value: number): Lsn => BigInt(value) as Lsn

test('what was delivered is confirmed, however often and in which order', () => {
  const positions = new SlotPositions(0n)
  expect([positions.confirm(lsn(5)), positions.confirm(lsn(3)), positions.confirm(lsn(5))]).toEqual([
    true,
    false,
    false,
  ])
  expect(positions.confirmed).toBe(5n)
})

test('a status lets Postgres drop all that was received once nothing is outstanding', () => {
  const positions = new SlotPositions(0n)
  positions.deliver(lsn(10))
  positions.receive(lsn(20))
  expect(positions.takeStatus(false)).toEqual({ written: 20n, flushed: 0n })
  positions.confirm(lsn(10))
  expect(positions.takeStatus(true)).toEqual({ written: 20n, flushed: 10n })
  expect(positions.takeStatus(false)).toEqual({ written: 20n, flushed: 20n })
})

test('a status never says that more is durable than was written', () => {
  const positions = new SlotPositions(7n)
  expect(positions.takeStatus(false)).toEqual({ written: 7n, flushed: 7n })
})

test('a keepalive with an older position takes nothing back', () => {
  const positions = new SlotPositions(0n)
  positions.receive(lsn(20))
  positions.receive(lsn(10))
  expect(positions.takeStatus(false).written).toBe(20n)
})

test('only what a status has not said yet is unsent', () => {
  const positions = new SlotPositions(0n)
  positions.deliver(lsn(9))
  positions.confirm(lsn(9))
  expect(positions.unsentBytes).toBe(9n)
  positions.takeStatus(false)
  expect(positions.unsentBytes).toBe(0n)
})

test('a position is news until it has been reported', () => {
  const positions = new SlotPositions(0n)
  expect(positions.isNews(lsn(1))).toBe(true)
  positions.report(lsn(1))
  expect([positions.isNews(lsn(1)), positions.isNews(lsn(2))]).toEqual([false, true])
})
