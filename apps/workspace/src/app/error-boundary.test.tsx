// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { CrashScreen } from './error-boundary.tsx'

const rendered = renderedForEach()

afterEach(() => void vi.restoreAllMocks())

test('without a connection and its own files, the app is not reloaded into the browser’s error page', async () => {
  const reload = vi.spyOn(location, 'reload').mockReturnValue()
  let isReachable = false
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    if (!isReachable) throw new TypeError('Failed to fetch')
    return new Response()
  })
  const missing = new TypeError('Failed to fetch dynamically imported module: http://localhost/assets/search.js')
  act(() => rendered.root.render(<CrashScreen error={missing} reset={() => undefined} />))
  const text = (): string => rendered.place.textContent ?? ''
  expect(text()).toContain('This screen isn’t on this device yet')
  const button = [...rendered.place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Reload')
  await act(async () => button?.click())
  expect(text()).toContain('The app reloads when the connection is back.')
  expect(reload).not.toHaveBeenCalled()
  isReachable = true
  await act(async () => void window.dispatchEvent(new Event('online')))
  expect(reload).toHaveBeenCalledOnce()
})

test('details that the browser does not let the page copy stay on the screen, and the person is told', async () => {
  const copying = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('', 'NotAllowedError'))
  act(() => rendered.root.render(<CrashScreen error={new Error('the pump broke')} reset={() => undefined} />))
  const button = (): HTMLButtonElement | undefined =>
    [...rendered.place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Copy details')
  await act(async () => button()?.click())
  expect(copying).toHaveBeenCalledWith(expect.stringContaining('the pump broke'))
  expect(rendered.place.querySelector('[role="status"]')?.textContent).toMatch(/clipboard/)
  expect(button()).toBeDefined()
})
