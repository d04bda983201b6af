import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'
import { readAllBytes } from './read-all-bytes.ts'
import { assertFileName, FileStoreFull, type FileStore, type StoredFile } from './file-store.ts'
import { isNamed } from './is-named.ts'

/** Bytes are separate from metadata, so lists read none. Stored as buffers, because WebKit has lost blobs in IndexedDB. */
interface Tables extends DBSchema {
  files: { key: string; value: StoredFile }
  bytes: { key: string; value: ArrayBuffer }
}
type Database = IDBPDatabase<Tables>

/**
 * Keeps files in IndexedDB, for browsers without a private file system writable from pages. A file appears when its transaction commits, and is in memory while
 * written or read.
 *
 * @param name - of the database, one per user
 */
export async function openDatabaseFiles(name: string): Promise<FileStore> {
  const connection = new Connection(name)
  await connection.use(async () => undefined)
  return {
    async write(file, bytes) {
      assertFileName(file)
      const content = await readAllBytes(bytes)
      await connection.use((database) => put(database, file, content))
      return content.byteLength
    },
    async read(file) {
      assertFileName(file)
      const content = await connection.use((database) => database.get('bytes', file))
      return content && new Blob([content])
    },
    async remove(file) {
      assertFileName(file)
      await connection.use(async (database) => {
        const write = change(database)
        await Promise.all([
          write.objectStore('bytes').delete(file),
          write.objectStore('files').delete(file),
          write.done,
        ])
      })
    },
    list: () => connection.use((database) => database.getAll('files')),
    clear: () =>
      connection.use(async (database) => {
        const write = change(database)
        await Promise.all([write.objectStore('bytes').clear(), write.objectStore('files').clear(), write.done])
      }),
  }
}

/** A connection that reopens itself: WebKit closes those of background pages. */
class Connection {
  readonly #name: string
  #opened: Promise<Database> | undefined

  constructor(name: string) {
    this.#name = name
  }

  async use<T>(work: (database: Database) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#open())
    } catch (error) {
      if (!isLost(error)) throw error
      this.#opened = undefined
      return work(await this.#open())
    }
  }

  #open(): Promise<Database> {
    const forget = (): void => void (this.#opened = undefined)
    if (this.#opened) return this.#opened
    const opened = openDB<Tables>(this.#name, 1, {
      upgrade(database) {
        database.createObjectStore('files', { keyPath: 'name' })
        database.createObjectStore('bytes')
      },
      terminated: forget,
    })
    opened.catch(forget)
    this.#opened = opened
    return opened
  }
}

function change(database: Database): IDBPTransaction<Tables, ['files', 'bytes'], 'readwrite'> {
  return database.transaction(['files', 'bytes'], 'readwrite', { durability: 'strict' })
}

async function put(database: Database, name: string, content: ArrayBuffer): Promise<void> {
  const write = change(database)
  try {
    await Promise.all([
      write.objectStore('bytes').put(content, name),
      write.objectStore('files').put({ name, size: content.byteLength, writtenAtMs: Date.now() }),
      write.done,
    ])
  } catch (error) {
    throw isNamed(error, 'QuotaExceededError') ? new FileStoreFull(error) : error
  }
}

function isLost(error: unknown): boolean {
  return isNamed(error, 'InvalidStateError') || (isNamed(error, 'UnknownError') && /connection/i.test(error.message))
}
