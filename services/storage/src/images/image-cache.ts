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

/** LRU cache of rendered images on disk, one folder per version. Entries never go stale, because versions are immutable. */
export class ImageCache {
  readonly #folder: string
  readonly #bytesMax: number
  readonly #logger: Logger
  /** In order of use, most recent last. */
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
    const bytes = await readFile(this.#path(version, name)).catch(() => undefined) // rendered again
    if (!bytes) this.#forget(key)
    return bytes
  }

  /** Caches a result. Failures are ignored: the image will be rendered again. */
  async keep(version: string, name: string, bytes: Buffer): Promise<void> {
    if (bytes.length > this.#bytesMax) return
    await this.#load()
    try {
      await this.#write(version, name, bytes)
    } catch (error) {
      this.#logger.log('warn', 'a rendered image could not be cached', { error: errorMessage(error) })
      return
    }
    this.#add({ version, name, size: bytes.length })
    await this.#makeRoom()
  }

  /** Call when a version's bytes are deleted. */
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

  /** Loads the entries of earlier runs, oldest first. */
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

/** Wraps a backend so that removing a version also removes its rendered images. */
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
