import { open, type FileHandle } from 'node:fs/promises'
import type { FoundLogEntries, LogSearch } from '@holdfast/console'
import type { LogEntry } from '@holdfast/protocol'
import { BLOCK_BYTES, SEARCH_MS } from './limits.ts'
import { pathOfSegment, type Segment } from './segments.ts'

/** Time in ms by which lines may be older than the segment that they are in: they wait in a queue. */
const QUEUE_SLACK_MS = 10_000

interface Line {
  readonly offset: number
  readonly text: string
}

/** Searches segments backwards, for a limited time. @param segments - newest first */
export async function searchSegments(
  folder: string,
  segments: readonly Segment[],
  { before, after, fromMs = -Infinity, toMs = Infinity, needle = '', matches, limit }: LogSearch,
  now: () => number = () => performance.now(),
): Promise<FoundLogEntries> {
  const until = now() + SEARCH_MS
  const [newestSegment] = segments
  const newest = newestSegment && positionOf(newestSegment.name, newestSegment.bytes)
  const end = before === undefined ? undefined : readPosition(before)
  const begin = after === undefined ? undefined : readPosition(after)
  const lowerNeedle = JSON.stringify(needle).slice(1, -1).toLowerCase()
  const entries: (LogEntry & { id: string })[] = []
  let newerStartMs = Infinity
  for (const { name, startMs, bytes } of segments) {
    const isOutside = (end && name > end.name) || (begin && name < begin.name) || startMs - QUEUE_SLACK_MS > toMs
    const isTooOld = newerStartMs < fromMs
    newerStartMs = startMs
    if (isTooOld) break
    if (isOutside) continue
    const to = end?.name === name ? Math.min(end.offset, bytes) : bytes
    const from = begin?.name === name ? begin.offset : 0
    await using handle = await openIfThere(pathOfSegment(folder, name))
    if (!handle) continue
    for await (const lines of readBackwards(handle, from, to)) {
      for (const { offset, text } of lines) {
        if (lowerNeedle !== '' && !text.toLowerCase().includes(lowerNeedle)) continue
        const entry = parse(text)
        if (!entry) continue
        const atMs = Date.parse(entry.at)
        if (atMs < fromMs || atMs > toMs || !matches(entry)) continue
        entries.push({ ...entry, id: positionOf(name, offset) })
        if (entries.length === limit)
          return { entries, next: positionOf(name, offset), ...(newest !== undefined && { newest }) }
      }
      const last = lines.at(-1)
      if (last && now() > until) {
        const searchedTo = parse(last.text)?.at ?? new Date(startMs).toISOString()
        return { entries, next: positionOf(name, last.offset), searchedTo, ...(newest !== undefined && { newest }) }
      }
    }
  }
  return { entries, ...(newest !== undefined && { newest }) }
}

/** Reads lines from the last to the first, in blocks. @param from, to - offsets of beginnings of lines */
async function* readBackwards(handle: FileHandle, from: number, to: number): AsyncGenerator<readonly Line[]> {
  let rest: Buffer = Buffer.alloc(0)
  for (let end = to; end > from;) {
    const start = Math.max(from, end - BLOCK_BYTES)
    const block = Buffer.alloc(end - start)
    const { bytesRead } = await handle.read(block, 0, block.length, start)
    const bytes = Buffer.concat([block.subarray(0, bytesRead), rest])
    // The first line may begin in the block before.
    const first = start === from ? 0 : bytes.indexOf(NEWLINE) + 1
    const lines: Line[] = []
    for (let at = first; at < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, at)
      if (newline < 0) break
      lines.push({ offset: start + at, text: bytes.toString('utf8', at, newline) })
      at = newline + 1
    }
    rest = bytes.subarray(0, first)
    end = start
    yield lines.toReversed()
  }
}

const NEWLINE = 10

/** The segment may have been deleted since it was listed. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A line that a crash cut off cannot be read. */
function parse(text: string): LogEntry | undefined {
  try {
    return JSON.parse(text) as LogEntry
  } catch {
    return undefined
  }
}

function positionOf(name: string, offset: number): string {
  return `${name}:${offset}`
}

/** @param position - checked by the route */
function readPosition(position: string): { readonly name: string; readonly offset: number } {
  const [name = '', offset = ''] = position.split(':')
  return { name, offset: Number(offset) }
}
