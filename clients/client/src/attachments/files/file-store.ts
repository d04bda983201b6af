import { DeviceFull } from '../../local-write.ts'

/**
 * Stores the bytes of one user's files on this device. Names are generated and never contain user input.
 *
 * Every implementation passes `file-store-cases.test-support.ts`.
 */
export interface FileStore {
  /**
   * Stores bytes under an unused name. Once resolved they survive the end of the process. After a failure the name does not exist; a crash may leave an
   * incomplete file, so unreferenced names do not count.
   *
   * @returns the number of bytes
   * @throws {FileStoreFull} if there is no room
   */
  write(name: string, bytes: Blob | ReadableStream<Uint8Array>): Promise<number>
  /** Returns the bytes, read lazily; `undefined` if absent. */
  read(name: string): Promise<Blob | undefined>
  /** Deletes a file, if it exists. */
  remove(name: string): Promise<void>
  list(): Promise<readonly StoredFile[]>
  /** Deletes everything of this user. */
  clear(): Promise<void>
}

export interface StoredFile {
  readonly name: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly writtenAtMs: number
}

/** Opens the store of one user. */
export type OpenFileStore = (userId: string) => Promise<FileStore>

/** The device has no room for more bytes. */
export class FileStoreFull extends DeviceFull {
  override readonly name = 'FileStoreFull'

  constructor(cause: unknown) {
    super('There is no space left on this device for the file. Free some space and try again.', cause)
  }
}

const NAME = /^[0-9a-zA-Z_-]{1,100}$/

/** Names are ids, which are safe as file names. */
export function isFileName(name: string): boolean {
  return NAME.test(name)
}

export function assertFileName(name: string): void {
  if (!isFileName(name)) throw new TypeError(`"${name}" is not a valid name for stored bytes.`)
}
