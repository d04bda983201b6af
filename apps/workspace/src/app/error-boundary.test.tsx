// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { CrashScreen } from './error-boundary.tsx'

const rendered = renderedForEach()

afterEach(() => void vi.restoreAllMocks())

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
