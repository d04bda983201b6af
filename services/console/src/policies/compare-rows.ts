import type { EstimatedDownload, PreviewedRows, RowChanges } from '@holdfast/protocol'
import { PREVIEW_KEYS_SHOWN, PREVIEW_ROWS_MAX } from '../limits.ts'
import type { DeviceRow, ReadProblem, RowSummary } from './device-rows.ts'
import type { Renewal } from './synced-tables.ts'

/** Rows of a table for a user. */
export interface Side {
  /** `undefined` if their devices do not have the table. */
  readonly summary: RowSummary | ReadProblem | undefined
  /** Read only if they differ. */
  readonly rows: readonly DeviceRow[] | ReadProblem | undefined
}

/** Whether the rows before and after have to be read to compare them. */
export function mustRead(before: Side['summary'], after: Side['summary']): boolean {
  const [had, has] = [before ?? NOTHING, after ?? NOTHING]
  if ('problem' in had || 'problem' in has) return false
  return had.sum !== has.sum && had.rows <= PREVIEW_ROWS_MAX && has.rows <= PREVIEW_ROWS_MAX
}

/** Compares what a user's device has before and after a change. */
export function compareRows(before: Side, after: Side, renewal: Renewal): PreviewedRows {
  const [had, has] = [before.summary ?? NOTHING, after.summary ?? NOTHING]
  if ('problem' in had || 'problem' in has)
    return {
      ...('problem' in had ? { problemBefore: had.problem } : { before: had.rows }),
      ...('problem' in has ? { problem: has.problem } : { after: has.rows }),
    }
  const counts = { before: had.rows, after: has.rows }
  const changes = changesOf(had, has, before.rows ?? [], after.rows ?? [])
  if (changes && 'problem' in changes) return { ...counts, problem: changes.problem }
  const download = downloadOf(has, changes, renewal)
  return { ...counts, ...(changes && { changes: changes.shown }), ...(download && { download }) }
}

const NOTHING: RowSummary = { rows: 0, sum: '0', bytes: 0 }

interface Changes {
  readonly shown: RowChanges
  /** Rows that a device downloads. */
  readonly downloaded: readonly DeviceRow[]
}

/** @returns `undefined` if there are too many rows to compare */
function changesOf(
  had: RowSummary,
  has: RowSummary,
  old: readonly DeviceRow[] | ReadProblem,
  now: readonly DeviceRow[] | ReadProblem,
): Changes | ReadProblem | undefined {
  if (had.rows > PREVIEW_ROWS_MAX || has.rows > PREVIEW_ROWS_MAX) return undefined
  if ('problem' in old) return old
  if ('problem' in now) return now
  const byKey = new Map(old.map((row) => [JSON.stringify(row.key), row]))
  const gained = now.filter(({ key }) => !byKey.has(JSON.stringify(key)))
  const changed = now.filter(({ key, hash }) => {
    const known = byKey.get(JSON.stringify(key))
    return known !== undefined && known.hash !== hash
  })
  const kept = new Set(now.map(({ key }) => JSON.stringify(key)))
  const lost = old.filter(({ key }) => !kept.has(JSON.stringify(key)))
  return {
    shown: {
      gained: gained.length,
      lost: lost.length,
      changed: changed.length,
      gainedKeys: keysOf(gained),
      lostKeys: keysOf(lost),
    },
    downloaded: [...gained, ...changed],
  }
}

/** @returns `undefined` if it is unknown */
function downloadOf(
  { rows, bytes }: RowSummary,
  changes: Changes | undefined,
  renewal: Renewal,
): EstimatedDownload | undefined {
  if (renewal === 'none') {
    if (!changes) return undefined
    const { downloaded } = changes
    return {
      rows: downloaded.length,
      bytes: downloaded.reduce((sum, row) => sum + row.bytes, 0),
      bound: 'exact',
    }
  }
  const isCut = rows > PREVIEW_ROWS_MAX
  // Of a table some of whose buckets stay, it is not known which rows are in the others too.
  if (isCut && renewal === 'some') return undefined
  return {
    rows: Math.min(rows, PREVIEW_ROWS_MAX),
    bytes,
    bound: isCut ? 'least' : renewal === 'all' ? 'exact' : 'most',
  }
}

function keysOf(rows: readonly DeviceRow[]): readonly string[] {
  return rows.slice(0, PREVIEW_KEYS_SHOWN).map(({ key }) => key.join(', '))
}
