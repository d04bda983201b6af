const END_OF_DIRECTORY = 0x0605_4b50
const ENTRY = 0x0201_4b50
const LOCAL_HEADER = 0x0403_4b50
/** The zip directory ends within this many bytes of the file's end: its own size plus a comment. */
const TAIL = 65_557
const STORED = 0
const DEFLATED = 8
/** Upper size in bytes of an empty deflated entry. */
const EMPTY_DEFLATED_MAX = 16

export interface ZipEntry {
  readonly method: number
  /** Sizes in bytes. */
  readonly packed: number
  readonly unpacked: number
  /** Offset of the local header. */
  readonly at: number
}

/**
 * Reads a zip's directory. Entries without a stated size are refused, because the sizes bound what unpacking may take.
 *
 * @returns entries by name; `undefined` if the directory is broken, omits sizes, or belongs to a file over 4 GiB
 */
export function readZipEntries(bytes: Uint8Array): ReadonlyMap<string, ZipEntry> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && end > bytes.length - TAIL && view.getUint32(end, true) !== END_OF_DIRECTORY) end -= 1
  if (end < 0 || view.getUint32(end, true) !== END_OF_DIRECTORY) return undefined
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const entries = new Map<string, ZipEntry>()
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== ENTRY) return undefined
    const method = view.getUint16(at + 10, true)
    const packed = view.getUint32(at + 20, true)
    const unpacked = view.getUint32(at + 24, true)
    if (packed === 0xffff_ffff || unpacked === 0xffff_ffff) return undefined
    if (packed === 0 ? unpacked > 0 : method === DEFLATED && unpacked === 0 && packed > EMPTY_DEFLATED_MAX)
      return undefined
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    // A repeated name would hide the first entry's size.
    if (entries.has(name)) return undefined
    entries.set(name, { method, packed, unpacked, at: view.getUint32(at + 42, true) })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/**
 * Unpacks an entry as UTF-8 text, in parts.
 *
 * @throws {RangeError} if it is longer than stated, or packed in a way that XLSX does not use
 */
export async function* unpackText(bytes: Uint8Array, entry: ZipEntry): AsyncGenerator<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { at, method, packed, unpacked } = entry
  if (view.getUint32(at, true) !== LOCAL_HEADER || (method !== STORED && method !== DEFLATED))
    throw new RangeError('the zip entry is broken')
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const part = new Blob([bytes.slice(from, from + packed)]).stream()
  const decoder = new TextDecoder()
  let size = 0
  for await (const chunk of method === STORED ? part : part.pipeThrough(new DecompressionStream('deflate-raw'))) {
    size += chunk.length
    if (size > unpacked) throw new RangeError('the zip entry is longer than it states')
    yield decoder.decode(chunk, { stream: true })
  }
}
