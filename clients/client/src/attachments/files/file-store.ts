import { DeviceFull } from '../../local-write.ts'

/**
 * Where the bytes of one person's files are on this device. Names are made by the kit and never contain what a person typed.
 *
 * Every store passes `file-store-cases.test-support.ts`.
 */
export interface FileStore {
  /**
   * Stores bytes under a name that is not taken. When it resolves they survive the end of the process. After a failure the name does not exist; a
   * process that ends in the middle may leave an incomplete one, so a name counts only when something refers to it.
   *
   * @returns how many bytes
   * @throws {FileStoreFull} when there is no room for them
   */
  write(name: string, bytes: Blob | ReadableStream<Uint8Array>): Promise<number>
  /** The bytes, read as they are needed. `undefined`: not here. */
  read(name: string): Promise<Blob | undefined>
  /** A file that does not exist counts as deleted. */
  remove(name: string): Promise<void>
  list(): Promise<readonly StoredFile[]>
  /** Deletes everything of this person. */
  clear(): Promise<void>
}

export interface StoredFile {
  readonly name: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly writtenAtMs: number
}

/** Opens the store of one person: no other person's bytes are in it. */
export type OpenFileStore = (userId: string) => Promise<FileStore>

/** The device has no room for more bytes. */
export class FileStoreFull extends DeviceFull {
  override readonly name = 'FileStoreFull'

  constructor(cause: unknown) {
    super('There is no space left on this device for the file. Free some space and try again.', cause)
  }
}

const NAME = /^[0-9a-zA-Z_-]{1,100}$/

/** Names are ids: a store may use them as names of files. */
export function isFileName(name: string): boolean {
  return NAME.test(name)
}

export function assertFileName(name: string): void {
  if (!isFileName(name)) throw new TypeError(`"${name}" cannot name stored bytes.`)
}
