import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { assertVersion, isVersion, type Backend } from '../backend/backend.ts'

interface Entry {
  readonly version: string
  readonly name: string
  readonly size: number
}

/**
 * Images that were drawn, in a folder for each version. A version never changes, so a result is right as long as there is one. Above a size the results go that
 * were used longest ago.
 */
export class ImageCache {
  readonly #folder: string
  readonly #bytesMax: number
  readonly #logger: Logger
  /** The one that was used last is last. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #loading: Promise<void> | undefined

  constructor(folder: string, bytesMax: number, logger: Logger) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    this.#logger = logger
  }

  async find(version: string, name: string): Promise<Buffer | undefined> {
    await this.#load()
    const key = keyOf(version, name)
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const bytes = await readFile(this.#path(version, name)).catch(() => undefined) // drawn again
    if (!bytes) this.#forget(key)
    return bytes
  }

  /** A result that cannot be kept is only drawn again. */
  async keep(version: string, name: string, bytes: Buffer): Promise<void> {
    if (bytes.length > this.#bytesMax) return
    await this.#load()
    try {
      await this.#write(version, name, bytes)
    } catch (error) {
      this.#logger.log('warn', 'a drawn image is not kept', { error: errorMessage(error) })
      return
    }
    this.#add({ version, name, size: bytes.length })
    await this.#makeRoom()
  }

  /** To be called when the bytes of a version go. */
  async removeVersion(version: string): Promise<void> {
    assertVersion(version)
    await rm(this.#folderOf(version), { recursive: true, force: true })
    for (const [key, entry] of this.#entries) if (entry.version === version) this.#forget(key)
  }

  async #write(version: string, name: string, bytes: Buffer): Promise<void> {
    const path = this.#path(version, name)
    await mkdir(this.#folderOf(version), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${randomUUID()}`
    {
      await using file = await open(temporary, 'wx', 0o600)
      await file.writeFile(bytes)
      await file.sync()
    }
    await rename(temporary, path)
  }

  async #makeRoom(): Promise<void> {
    for (const [key, { version, name }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return
      this.#forget(key)
      await rm(this.#path(version, name), { force: true })
    }
  }

  #add(entry: Entry): void {
    const key = keyOf(entry.version, entry.name)
    this.#forget(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.size
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }

  #load(): Promise<void> {
    return (this.#loading ??= this.#read())
  }

  /** What an earlier run has drawn, the oldest first. */
  async #read(): Promise<void> {
    const found: (Entry & { readonly writtenAt: number })[] = []
    for (const version of await readdir(this.#folder).catch(() => [])) {
      if (!isVersion(version)) continue
      for (const name of await readdir(join(this.#folder, version)).catch(() => [])) {
        const path = join(this.#folder, version, name)
        const about = await stat(path).catch(() => undefined)
        if (!/^[0-9a-f]+$/.test(name)) await rm(path, { force: true })
        else if (about) found.push({ version, name, size: about.size, writtenAt: about.mtimeMs })
      }
    }
    for (const { version, name, size } of found.toSorted((a, b) => a.writtenAt - b.writtenAt))
      this.#add({ version, name, size })
    await this.#makeRoom()
  }

  #folderOf(version: string): string {
    assertVersion(version)
    return join(this.#folder, version)
  }

  #path(version: string, name: string): string {
    return join(this.#folderOf(version), name)
  }
}

function keyOf(version: string, name: string): string {
  return `${version}/${name}`
}

/** A store whose versions take the images with them that were drawn of them. */
export function withImages(backend: Backend, cache: ImageCache): Backend {
  return {
    description: backend.description,
    write: (version, source) => backend.write(version, source),
    read: (version, range) => backend.read(version, range),
    readPart: (version, range) => backend.readPart(version, range),
    sizeOf: (version) => backend.sizeOf(version),
    copy: (from, to) => backend.copy(from, to),
    async remove(version) {
      await backend.remove(version)
      await cache.removeVersion(version)
    },
    list: () => backend.list(),
    removeUnfinished: (before) => backend.removeUnfinished(before),
    readStoreId: () => backend.readStoreId(),
    writeStoreId: (id) => backend.writeStoreId(id),
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}
