import type { CommonPowerSyncDatabase } from '@powersync/common'
import * as v from 'valibot'
import { markRead, type ReadPlace, readMarkOf } from './read-marks.ts'

/** Absence in ms after which the user's return starts a new visit. */
const ABSENCE_MS = 30 * 60_000
/** Interval in ms between notes of the user's presence. */
const NOTE_MS = 60_000
/** Delay in ms before other devices learn of a visit, and the interval afterwards. */
const TELL_FIRST_MS = 2 * 60_000
const TELL_MS = ABSENCE_MS

/** Where visits are marked as read for the user's other devices. */
export const VISITS: ReadPlace = { table: 'hf_visits', record: 'app' }

/** The user's current visit, in ISO times. */
export interface Visit {
  /** End of the previous visit; `null` for the first. */
  readonly since: string | null
  readonly start: string
  /** When the user was last here. */
  readonly seen: string
}

const visitSchema = v.object({ since: v.nullable(v.string()), start: v.string(), seen: v.string() })
/** The local row of the current visit. */
export const VISIT_SQL = `select ref from hf_local_recent where id = 'visit'`

export function parseVisit(ref: string | undefined): Visit | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), visitSchema), ref)
  return result.success ? result.output : undefined
}

/** Continues a visit, or starts a new one after an absence. */
export function continueVisit(visit: Visit | undefined, now: Date): Visit {
  const seen = now.toISOString()
  if (!visit) return { since: null, start: seen, seen }
  if (now.getTime() - Date.parse(visit.seen) >= ABSENCE_MS) return { since: visit.seen, start: seen, seen }
  return { ...visit, seen }
}

/**
 * Returns when the user was last here, on any device; `undefined` if never.
 *
 * @param mark - last known presence on any device; empty for none
 */
export function lastSeen({ since, start }: Visit, mark: string): string | undefined {
  // A mark of the current visit says nothing about the previous one.
  const elsewhere = mark !== '' && mark < start ? mark : undefined
  if (since === null || elsewhere === undefined) return since ?? elsewhere
  return since < elsewhere ? elsewhere : since
}

export interface VisitOptions {
  readonly database: CommonPowerSyncDatabase
  readonly userId: string
  /** The project has read marks, by which other devices learn of the visit. */
  readonly hasMarks: boolean
}

/** Notes the user's presence while the page is visible. @returns ends it */
export function followVisit({ database, userId, hasMarks }: VisitOptions): () => void {
  const openedAt = Date.now()
  let toldAt = Number.NEGATIVE_INFINITY
  const note = async (): Promise<void> => {
    const now = new Date()
    await database.writeTransaction(async (tx) => {
      const row = await tx.getOptional<{ readonly ref: string }>(VISIT_SQL)
      const visit = continueVisit(parseVisit(row?.ref), now)
      await keep(tx, visit)
      if (visit.start === visit.seen) await tx.execute(`delete from hf_local_recent where kind = 'own'`)
    })
    const isTold = now.getTime() - toldAt < TELL_MS || now.getTime() - openedAt < TELL_FIRST_MS
    // A mark is sent at once, so that it never shows as unsent work.
    if (!hasMarks || isTold || !(await isUpToDate(database))) return
    toldAt = now.getTime()
    // The mark replaces the one of the previous visit, so that is kept first.
    const mark = await readMarkOf(database, VISITS)
    await database.writeTransaction(async (tx) => {
      const visit = parseVisit((await tx.getOptional<{ readonly ref: string }>(VISIT_SQL))?.ref)
      if (visit) await keep(tx, { ...visit, since: lastSeen(visit, mark) ?? null })
    })
    await markRead(database, userId, VISITS, now.toISOString())
  }
  const onLook = (): void => {
    if (document.visibilityState !== 'visible') return
    note().catch((error: unknown) => console.info('The visit was not noted.', error))
  }
  onLook()
  const timer = setInterval(onLook, NOTE_MS)
  document.addEventListener('visibilitychange', onLook)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', onLook)
  }
}

async function isUpToDate(database: CommonPowerSyncDatabase): Promise<boolean> {
  return database.connected && (await database.getOptional('select 1 from ps_crud limit 1')) === null
}

function keep(tx: Pick<CommonPowerSyncDatabase, 'execute'>, visit: Visit): Promise<unknown> {
  return tx.execute(`insert or replace into hf_local_recent (id, kind, ref, at) values ('visit', 'visit', ?, ?)`, [
    JSON.stringify(visit),
    visit.seen,
  ])
}
