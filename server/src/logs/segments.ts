import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LOG_AGE_MAX_MS, LOG_BYTES_MAX } from './limits.ts'

/** A file of the log. Names sort by time. */
export interface Segment {
  readonly name: string
  /** Time of its creation, in ms since the epoch. */
  readonly startMs: number
  readonly bytes: number
}

const NAME = /^(\d{13})-[0-9a-f]{6}$/
const EXTENSION = '.jsonl'

/** Creates a name. Servers that share a folder get different ones. */
export function nameSegment(startMs: number): string {
  return `${String(startMs).padStart(13, '0')}-${randomBytes(3).toString('hex')}`
}

export function pathOfSegment(folder: string, name: string): string {
  return join(folder, `${name}${EXTENSION}`)
}

/** Lists the segments, newest first. */
export async function listSegments(folder: string): Promise<readonly Segment[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const segments: Segment[] = []
  for (const file of files) {
    const name = file.endsWith(EXTENSION) ? file.slice(0, -EXTENSION.length) : ''
    const startMs = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(startMs)) continue
    // Another server of the folder may delete it meanwhile.
    const bytes = await stat(join(folder, file)).then(
      ({ size }) => size,
      () => undefined,
    )
    if (bytes !== undefined) segments.push({ name, startMs, bytes })
  }
  return segments.toSorted((one, other) => (one.name < other.name ? 1 : -1))
}

/** Deletes segments that are too old, and the oldest ones until the rest fits. */
export async function deleteOldSegments(
  folder: string,
  nowMs: number,
  { bytesMax = LOG_BYTES_MAX, ageMaxMs = LOG_AGE_MAX_MS } = {},
): Promise<void> {
  let bytes = 0
  let newerStartMs = nowMs
  for (const { name, startMs, bytes: size } of await listSegments(folder)) {
    bytes += size
    // Its last line is not newer than the next segment.
    if (bytes > bytesMax || nowMs - newerStartMs > ageMaxMs) await rm(pathOfSegment(folder, name), { force: true })
    newerStartMs = startMs
  }
}
