// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { guardTyping, holdPage } from './typing.ts'

guardTyping()

/** Whether the browser confirms before closing the page. */
function asksToLeave(): boolean {
  const event = new Event('beforeunload', { cancelable: true })
  dispatchEvent(event)
  return event.defaultPrevented
}

test('the browser asks before the page goes as long as a long write is under way, also if it fails', async () => {
  expect(asksToLeave()).toBe(false)
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const both = Promise.allSettled([holdPage(() => one.promise), holdPage(() => other.promise)])
  expect(asksToLeave()).toBe(true)
  one.resolve('written')
  await one.promise
  expect(asksToLeave()).toBe(true)
  other.reject(new Error('the device is full'))
  expect(await both).toMatchObject([{ value: 'written' }, { status: 'rejected' }])
  expect(asksToLeave()).toBe(false)
})
