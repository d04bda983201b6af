// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browserStore, whenRemovedElsewhere } from './key-value.ts'

const entries = new Map<string, string>()
let isFull = false
/** A browser store that may be full. */
const area = {
  getItem: (key: string) => entries.get(key) ?? null,
  setItem(key: string, value: string) {
    if (isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    entries.set(key, value)
  },
  removeItem: (key: string) => void entries.delete(key),
} as unknown as Storage

beforeEach(() => {
  entries.clear()
  isFull = false
  vi.spyOn(console, 'warn').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

/** Simulates a write by another tab. */
const tell = (key: string, newValue: string | null): boolean =>
  window.dispatchEvent(Object.assign(new Event('storage'), { storageArea: area, key, newValue }))

test('what a full browser does not keep is kept until the page ends', async () => {
  const store = browserStore(area)
  await store.setItem('session', 'first')
  isFull = true
  await store.setItem('session', 'renewed')
  expect(await store.getItem('session')).toBe('renewed')
  expect(console.warn).toHaveBeenCalledWith(expect.stringContaining('no room for "session"'), expect.anything())
  expect(entries.get('session')).toBe('first')
  isFull = false
  await store.setItem('session', 'kept')
  expect([await store.getItem('session'), entries.get('session')]).toEqual(['kept', 'kept'])
})

test('what another tab writes or removes is newer', async () => {
  const store = browserStore(area)
  isFull = true
  await store.setItem('session', 'mine')
  entries.set('session', 'of another tab')
  tell('session', 'of another tab')
  expect(await store.getItem('session')).toBe('of another tab')

  const onRemoved = vi.fn<() => void>()
  const stop = whenRemovedElsewhere(store, 'session', onRemoved)
  entries.delete('session')
  tell('session', null)
  stop()
  expect(onRemoved).toHaveBeenCalledOnce()
  expect(await store.getItem('session')).toBeNull()
})
