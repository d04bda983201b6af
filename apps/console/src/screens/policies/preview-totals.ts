import type { EstimatedDownload, PreviewedRows } from '@holdfast/protocol'

/** What a change does to all tables of a device. */
export interface DeviceTotal {
  readonly gained: number
  readonly lost: number
  readonly changed: number
  readonly download: EstimatedDownload
  /** Some tables were not compared. */
  readonly isIncomplete: boolean
}

/** Adds up the tables of a device. */
export function totalOf(all: readonly (PreviewedRows | undefined)[]): DeviceTotal {
  const tables = all.filter((rows) => rows !== undefined)
  const sum = (of: (rows: PreviewedRows) => number): number => tables.reduce((total, rows) => total + of(rows), 0)
  const isIncomplete = tables.some(({ changes }) => changes === undefined)
  const isUnknown = tables.some(({ download }) => download === undefined || download.bound === 'least')
  const isMost = tables.some(({ download }) => download?.bound === 'most')
  return {
    gained: sum(({ changes }) => changes?.gained ?? 0),
    lost: sum(({ changes }) => changes?.lost ?? 0),
    changed: sum(({ changes }) => changes?.changed ?? 0),
    download: {
      rows: sum(({ download }) => download?.rows ?? 0),
      bytes: sum(({ download }) => download?.bytes ?? 0),
      // A sum of "up to" and "more than" is neither; that tables are missing is said beside it.
      bound: isMost ? 'most' : isUnknown ? 'least' : 'exact',
    },
    isIncomplete,
  }
}
