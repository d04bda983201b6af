// @vitest-environment happy-dom
import { act, type JSX } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSearchText } from './use-search-text.ts'

/** Longer than the pause after which the field reports. */
const PAUSE_MS = 200

function Field({ text }: { readonly text: string }): JSX.Element {
  const [typed, setTyped] = useSearchText(text, (wanted) => void reported.push(wanted))
  return <input value={typed} onChange={(event) => setTyped(event.target.value)} />
}

let root: Root
let place: HTMLElement
const reported: string[] = []

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  vi.useFakeTimers()
  reported.length = 0
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  address('')
})
afterEach(() => {
  act(() => root.unmount())
  place.remove()
  vi.useRealTimers()
})

/** Sets the text in the URL. */
function address(text: string): void {
  act(() => root.render(<Field text={text} />))
}

function field(): HTMLInputElement {
  const input = place.querySelector('input')
  if (!input) throw new Error('there is a field')
  return input
}

function type(text: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(), text)
    field().dispatchEvent(new Event('input', { bubbles: true }))
  })
}

function pause(): void {
  act(() => void vi.advanceTimersByTime(PAUSE_MS))
}

test('reports what was typed once it is left alone, without the spaces around it', () => {
  type('v')
  type('va ')
  expect(reported).toEqual([])
  pause()
  expect(reported).toEqual(['va'])
  address('va')
  pause()
  expect([field().value, reported]).toEqual(['va ', ['va']])
})

test('an address that comes late takes nothing back of what was typed meanwhile', () => {
  type('val')
  pause()
  type('valve')
  address('val')
  expect(field().value).toBe('valve')
  pause()
  expect(reported).toEqual(['val', 'valve'])
})

test('a search that is emptied before the address has come is taken back', () => {
  type('valve')
  pause()
  type('')
  address('valve')
  expect(field().value).toBe('')
  pause()
  expect(reported).toEqual(['valve', ''])
})

test('a search that comes from elsewhere counts, also while another is on its way', () => {
  address('pump')
  expect(field().value).toBe('pump')
  type('valve')
  pause()
  address('tank')
  expect(field().value).toBe('tank')
  pause()
  expect(reported).toEqual(['valve'])
})
