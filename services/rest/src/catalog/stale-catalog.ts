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

/** Milliseconds between two readings for failures: requests for unknown names must not keep Postgres busy. */
const PAUSE_MS = 1_000

export interface CurrentCatalog {
  current(): Catalog
  /** Reads it now. Without it, only what was read meanwhile counts. */
  refresh?(): Promise<Catalog>
}

/**
 * Decides whether a request that failed should be tried again with another catalog. Changes are announced by Postgres after they are
 * committed, so that a request may come before the announcement.
 *
 * @returns a function of the catalog that the request was made with, which gives the one to try again with
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
        // That it cannot be read says nothing about the request, which has failed already.
        reading = catalog.refresh().catch(() => undefined)
      }
      await reading
    }
    const current = catalog.current()
    return current === seen ? undefined : current
  }
}
