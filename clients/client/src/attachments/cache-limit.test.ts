import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseEvicted } from './cache-limit.ts'
import { photo } from './file-entry.test-support.ts'
import { isEvictable, type FileEntry } from './file-state.ts'

const anyFile: fc.Arbitrary<FileEntry> = fc
  .record({
    id: fc.uuid(),
    state: fc.constantFrom('captured', 'queued', 'uploading', 'refused', 'uploaded', 'linked', 'cached'),
    size: fc.nat(100),
    usedAtMs: fc.nat(1_000),
    isEager: fc.boolean(),
  })
  .map((change) => photo(change as Partial<FileEntry>))

test('only what can be fetched again goes, as little as needed, the least recently used first', () => {
  fc.assert(
    fc.property(fc.array(anyFile, { maxLength: 12 }), fc.nat(300), fc.nat(100), (files, limit, needed) => {
      const evicted = chooseEvicted(files, { limit, needed })
      const evictable = files.filter(isEvictable)
      const total = evictable.reduce((sum, { size }) => sum + size, 0)
      if (!evicted) {
        expect(needed).toBeGreaterThan(limit)
        return
      }
      expect(evicted.every(isEvictable)).toBe(true)
      const left = total - evicted.reduce((sum, { size }) => sum + size, 0)
      expect(left + needed).toBeLessThanOrEqual(Math.max(limit, needed))
      const last = evicted.at(-1)
      if (last) expect(left + last.size + needed).toBeGreaterThan(limit) // without the last one there was not enough room
      const kept = evictable.filter((file) => !evicted.includes(file) && !file.isEager)
      for (const { usedAtMs } of kept)
        expect(evicted.filter(({ isEager }) => !isEager).every((file) => file.usedAtMs <= usedAtMs)).toBe(true)
    }),
  )
})

test('a file that is only due does not evict another of its kind', () => {
  const due = photo({ id: 'due', state: 'cached', isEager: true, size: 60 })
  const opened = photo({ id: 'opened', state: 'cached', size: 40, usedAtMs: 9 })
  const room = { limit: 100, isLazyOnly: true }
  expect(chooseEvicted([due, opened], { ...room, needed: 40 })).toEqual([opened])
  expect(chooseEvicted([due, opened], { ...room, needed: 50 })).toBeUndefined()
})
