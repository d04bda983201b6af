import { describe, expect, test } from 'vitest'
import { NOBODY, OWN_IDS, ownIdFor } from './own-user.ts'

const everyId = (): boolean => true
const none = new Set<number>()

describe('the user of a database', () => {
  test('is the same for a folder whenever it is asked for, and in the range that nothing else uses', () => {
    const id = ownIdFor('/srv/a/postgres', { taken: none, exists: everyId })
    expect(id).toBeGreaterThanOrEqual(OWN_IDS.first)
    expect(id).toBeLessThanOrEqual(OWN_IDS.last)
    expect(ownIdFor('/srv/a/postgres', { taken: none, exists: everyId })).toBe(id)
  })

  test('differs from folder to folder', () => {
    const folders = Array.from({ length: 20 }, (_, n) => `/srv/${n}/postgres`)
    expect(new Set(folders.map((folder) => ownIdFor(folder, { taken: none, exists: everyId }))).size).toBeGreaterThan(
      15,
    )
  })

  test('is never one that has a name or a process, to the last free one', () => {
    const taken = new Set<number>()
    for (let n = OWN_IDS.first; n <= OWN_IDS.last; n++) {
      const id = ownIdFor('/srv/a/postgres', { taken, exists: everyId })
      expect(taken.has(id)).toBe(false)
      taken.add(id)
    }
    expect(ownIdFor('/srv/a/postgres', { taken, exists: everyId })).toBe(NOBODY)
  })

  test('is one that exists in this container, else nobody', () => {
    const only = OWN_IDS.first + 7
    expect(ownIdFor('/srv/a/postgres', { taken: none, exists: (id) => id === only })).toBe(only)
    expect(ownIdFor('/srv/a/postgres', { taken: none, exists: () => false })).toBe(NOBODY)
  })
})
