import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { listen } from '../connection/listen.ts'
import type { Pool } from '../connection/pool.ts'
import type { Catalog } from './catalog.ts'
import { readCatalog } from './read-catalog.ts'

/** Channel notified by `0002_catalog_notify.sql`. */
const CATALOG_CHANNEL = 'holdfast_catalog'

/** PostgREST's channel for changes that event triggers miss, such as `alter role`. */
const RELOAD_CHANNEL = 'pgrst'

/** Its messages. @see PostgREST reference, "Listener" */
const RELOAD_MESSAGES: ReadonlySet<string> = new Set(['', 'reload schema', 'reload config'])

/** Debounce in ms before reading: a migration notifies once per transaction. */
const SETTLE_MS = 5

/** Delay in ms after a failed reading. */
const RETRY_MS = 200

/** Delay in ms after a partial reading due to locks. */
const PARTIAL_RETRY_MS = 1_000

/** The continuously updated catalog. */
export interface CatalogWatch extends AsyncDisposable {
  /** From the last reading. */
  current(): Catalog
  /** Calls `listener` after each reading with changes. @returns unsubscribes */
  onChange(listener: (catalog: Catalog) => void): () => void
  /** Reads immediately, for callers that made a change or miss a new name. */
  refresh(): Promise<Catalog>
}

export interface WatchCatalogOptions {
  /** Connects as the superuser, for listening. */
  readonly url: string
  /** The same, for reading. */
  readonly pool: Pool
  /** Further channels on the listening connection. Called on a notification, and when listening resumes. */
  readonly otherChannels?: ReadonlyMap<string, () => void>
  readonly logger: Logger
}

/** Reads the catalog, and again on every notification and lost connection. */
export async function watchCatalog(options: WatchCatalogOptions): Promise<CatalogWatch> {
  const { pool, logger, otherChannels = new Map<string, () => void>() } = options
  const stopping = new AbortController()
  const listeners = new Set<(catalog: Catalog) => void>()
  let current: Catalog | undefined
  /** Change counter: a reading started before the latest change must be repeated. */
  let changes = 0
  let reading: Promise<void> | undefined
  let readings = 0
  /** Number of the reading in `current`. */
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
  // Started after listening, so no later commit is missed.
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
    return current as Catalog // set before the object is returned
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

  /** Readings may overlap; an earlier one never replaces the result of a later one. */
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
    // Equal content keeps the same object, so derived values stay cached.
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
