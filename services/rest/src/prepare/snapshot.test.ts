import { describe, expect, test } from 'vitest'
import type { Catalog } from '@holdfast/postgres'
import { defaultRestOptions } from '../../test/default-options.ts'
import { createSnapshots } from './snapshot.ts'

const EMPTY = {
  schemas: [],
  tables: [],
  relationships: [],
  routines: [],
  representations: [],
  mediaHandlers: [],
  tableByOid: () => undefined,
} as unknown as Catalog

describe('a snapshot', () => {
  test('is kept, with its cache of plans, until the catalog or the options change', () => {
    let options = defaultRestOptions()
    const snapshotOf = createSnapshots(() => options, 'http://127.0.0.1:54321/rest/v1')
    const first = snapshotOf(EMPTY)
    expect(snapshotOf(EMPTY)).toBe(first)

    const otherCatalog = snapshotOf({ ...EMPTY })
    expect(otherCatalog.prepare).not.toBe(first.prepare)

    options = { ...options, restRowsMax: 7 }
    const otherOptions = snapshotOf(EMPTY)
    expect(otherOptions.prepare).not.toBe(first.prepare)
    expect(otherOptions.options.restRowsMax).toBe(7)
  })
})
