// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { inertAfterPaint } from './inert-after-paint.ts'

/** Resolves after the work that follows the next paint. */
async function painted(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve))
  await new Promise((resolve) => setTimeout(resolve, 5))
}

test('a page becomes inert once what has opened over it is painted, and ends at once', async () => {
  const page = document.createElement('div')
  inertAfterPaint(page)
  page.inert = true
  expect([page.inert, page.hasAttribute('inert')]).toEqual([true, false])
  await painted()
  expect([page.inert, page.hasAttribute('inert')]).toEqual([true, true])
  page.inert = false
  expect([page.inert, page.hasAttribute('inert')]).toEqual([false, false])
})

test('what closes before it was painted leaves the page as it was', async () => {
  const page = document.createElement('div')
  inertAfterPaint(page)
  page.inert = true
  page.inert = false
  await painted()
  expect([page.inert, page.hasAttribute('inert')]).toEqual([false, false])
})
