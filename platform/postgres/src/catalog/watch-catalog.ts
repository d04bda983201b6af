import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen } from '../connection/listen.ts'
import type { Pool } from '../connection/pool.ts'
import type { Catalog } from './catalog.ts'
import { readCatalog } from './read-catalog.ts'

/** Channel that `0002_catalog_notify.sql` notifies. */
const CATALOG_CHANNEL = 'holdfast_catalog'

/** Channel on which PostgREST is told what no event trigger sees, such as `alter role`. */
const RELOAD_CHANNEL = 'pgrst'

/** What it is told. @see PostgREST reference, "Listener" */
const RELOAD_MESSAGES: ReadonlySet<string> = new Set(['', 'reload schema', 'reload config'])

/** Milliseconds that further changes are waited for before the catalog is read: a migration notifies once per transaction. */
const SETTLE_MS = 5

/** Milliseconds before another try when the catalog could not be read. */
const RETRY_MS = 200

/** Milliseconds before the catalog is read again of which something was locked. */
const PARTIAL_RETRY_MS = 1_000

/** The catalog, kept current. */
export interface CatalogWatch extends AsyncDisposable {
  /** As of the last reading. */
  current(): Catalog
  /** Calls `listener` after each reading that differs from the one before. @returns stops the calls */
  onChange(listener: (catalog: Catalog) => void): () => void
  /** Reads now. For whoever has just changed something, or misses a name that may be new. */
  refresh(): Promise<Catalog>
}

export interface WatchCatalogOptions {
  /** Connects as the superuser, for the listening connection. */
  readonly url: string
  /** The same, for reading. */
  readonly pool: Pool
  /** Channels of others on the listening connection. Each is called for a notification, and when listening has begun again. */
  readonly otherChannels?: ReadonlyMap<string, () => void>
  readonly logger: Logger
}

/** Reads the catalog and reads it again on every notification and after every lost connection. */
export async function watchCatalog(options: WatchCatalogOptions): Promise<CatalogWatch> {
  const { pool, logger, otherChannels = new Map<string, () => void>() } = options
  const stopping = new AbortController()
  const listeners = new Set<(catalog: Catalog) => void>()
  let current: Catalog | undefined
  /** Counts what makes a reading stale: a reading that began before the last one has to be repeated. */
  let changes = 0
  let reading: Promise<void> | undefined
  let readings = 0
  /** The latest reading that is in `current`. */
  let published = 0
  let retry: NodeJS.Timeout | undefined

  const listening = await listen({
    url: options.url,
    channels: [CATALOG_CHANNEL, RELOAD_CHANNEL, ...otherChannels.keys()],
    applicationName: 'holdfast catalog',
    onNotify: (channel, message) => {
      const other = otherChannels.get(channel)
      if (other) other()
      else if (channel === CATALOG_CHANNEL || RELOAD_MESSAGES.has(message)) markChanged()
    },
    onListening: () => {
      if (current) markChanged()
      for (const other of otherChannels.values()) other()
    },
    logger,
  })
  // Begun after listening, so nothing that commits later can be missed.
  await readNow()

  return {
    current: latest,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async refresh() {
      await readNow()
      return latest()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      clearTimeout(retry)
      await listening[Symbol.asyncDispose]()
      await reading
    },
  }

  function latest(): Catalog {
    return current as Catalog // set before anybody gets the face
  }

  function markChanged(): void {
    changes += 1
    reading ??= readUntilCurrent().finally(() => (reading = undefined))
  }

  async function readUntilCurrent(): Promise<void> {
    let seen = -1
    while (seen !== changes && !stopping.signal.aborted) {
      try {
        await delay(SETTLE_MS, stopping.signal)
        seen = changes
        await readNow()
      } catch (error) {
        if (stopping.signal.aborted) return
        seen = -1
        logger.log('warn', `the catalog cannot be read: ${errorMessage(error)}`)
        await delay(RETRY_MS, stopping.signal).catch(() => undefined)
      }
    }
  }

  /** Readings overlap when a person asks for one; what one that began earlier has seen never replaces what a later one has. */
  async function readNow(): Promise<void> {
    const reading = ++readings
    const next = await readCatalog(pool, current)
    if (reading < published) return
    published = reading
    publish(next)
  }

  function publish(next: Catalog): void {
    clearTimeout(retry)
    if (next.isPartial && !stopping.signal.aborted) retry = setTimeout(markChanged, PARTIAL_RETRY_MS)
    // The same object stands for the same content, so that values derived from it are kept.
    if (next.version === current?.version) return
    current = next
    tell(listeners, next, logger)
  }
}

function tell(listeners: Iterable<(catalog: Catalog) => void>, catalog: Catalog, logger: Logger): void {
  for (const listener of listeners) {
    try {
      listener(catalog)
    } catch (error) {
      logger.log('error', `a listener of the catalog failed: ${errorMessage(error)}`)
    }
  }
}
