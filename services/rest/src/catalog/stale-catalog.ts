import type { Catalog } from '@holdfast/postgres'

/** Error codes of requests planned with an outdated catalog: unknown names, and prepared statements invalidated by a change. */
const STALE_CODES: ReadonlySet<string> = new Set([
  'PGRST200',
  'PGRST201',
  'PGRST202',
  'PGRST203',
  'PGRST204',
  'PGRST205',
  '0A000', // cached plan must not change result type
  '26000', // a statement that was prepared is not there
  '3F000',
  '42P01',
  '42P02',
  '42703',
  '42704',
  '42804',
  '42846',
  '42883',
  '42P10',
  'XX000', // cache lookup failed
])

/** Minimum interval in ms between refreshes after failures, so that requests for unknown names cannot keep Postgres busy. */
const PAUSE_MS = 1_000

export interface CurrentCatalog {
  current(): Catalog
  /** Reads the catalog now. If absent, only changes read in the meantime count. */
  refresh?(): Promise<Catalog>
}

/**
 * Decides whether a failed request is retried with another catalog. Postgres announces changes after their commit, so a request may arrive
 * before the announcement.
 *
 * @returns a function that takes the catalog of the failed request and returns the one for the retry
 */
export function createStaleness(
  catalog: CurrentCatalog,
  now: () => number = () => performance.now(),
): (seen: Catalog, error: unknown) => Promise<Catalog | undefined> {
  let reading: Promise<unknown> = Promise.resolve()
  let readAt = Number.NEGATIVE_INFINITY
  return async (seen, error) => {
    const code = (error as { readonly code?: unknown } | undefined)?.code
    if (typeof code !== 'string' || !STALE_CODES.has(code)) return undefined
    if (code === '26000') return catalog.current()
    if (catalog.current() === seen && catalog.refresh) {
      if (now() - readAt >= PAUSE_MS) {
        readAt = now()
        // A failed refresh is ignored, because the request has already failed.
        reading = catalog.refresh().catch(() => undefined)
      }
      await reading
    }
    const current = catalog.current()
    return current === seen ? undefined : current
  }
}
