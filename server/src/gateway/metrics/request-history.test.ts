import { expect, test } from 'vitest'
import { RequestHistory } from './request-history.ts'

const MINUTE = 60_000
const START = 1_000 * MINUTE

function openHistory() {
  let now = START
  const history = new RequestHistory(() => now)
  return {
    pass: (minutes: number) => void (now += minutes * MINUTE),
    record: (status: number, ms = 10) => history.record('rest', { status, ms }),
    last: (hours = 1) => history.read(hours).services[0],
  }
}

test('counts requests, refusals and failures per minute, with the mean duration', () => {
  const { record, pass, last } = openHistory()
  record(200, 10)
  record(404, 20)
  record(500, 60)
  pass(1)
  record(200, 5)
  const service = last()
  expect(service?.requests.slice(-2)).toEqual([3, 1])
  expect(service?.refused.slice(-2)).toEqual([1, 0])
  expect(service?.failed.slice(-2)).toEqual([1, 0])
  expect(service?.meanMs.slice(-2)).toEqual([30, 5])
})

test('minutes without requests are zero, also after the ring went round', () => {
  const { record, pass, last } = openHistory()
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    record(200)
    pass(1)
  }
  pass(30)
  const requests = last()?.requests ?? []
  expect(requests).toHaveLength(60)
  expect(requests.slice(-31)).toEqual(Array.from({ length: 31 }, () => 0))
  expect(requests.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => 1))
})

test('a pause of more than a day leaves nothing of before', () => {
  const { record, pass, last } = openHistory()
  record(200)
  pass(3 * 24 * 60)
  expect(last(24)?.requests.some((count) => count > 0)).toBe(false)
})

test('a clock that was set back keeps counting in the newest minute', () => {
  const { record, pass, last } = openHistory()
  record(200)
  pass(-120)
  record(200)
  expect(last()?.requests.at(-1)).toBe(2)
})
