const END_OF_DIRECTORY = 0x0605_4b50
const ENTRY = 0x0201_4b50
/** The zip directory ends within this many bytes of the file's end: its own size plus a comment. */
const TAIL = 65_557
const DEFLATED = 8
/** Upper size in bytes of an empty deflated entry. */
const EMPTY_DEFLATED_MAX = 16

/**
 * Sums the unpacked sizes in a zip's directory. The unpacking library enforces the stated sizes; entries without one are refused here.
 *
 * @returns bytes; `undefined` if the directory is broken, omits sizes, or belongs to a file over 4 GiB
 */
export function readUnpackedSize(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && end > bytes.length - TAIL && view.getUint32(end, true) !== END_OF_DIRECTORY) end -= 1
  if (end < 0 || view.getUint32(end, true) !== END_OF_DIRECTORY) return undefined
  const entries = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  let total = 0
  for (let entry = 0; entry < entries; entry += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== ENTRY) return undefined
    const method = view.getUint16(at + 10, true)
    const packed = view.getUint32(at + 20, true)
    const unpacked = view.getUint32(at + 24, true)
    if (packed === 0xffff_ffff || unpacked === 0xffff_ffff) return undefined
    if (packed === 0 ? unpacked > 0 : method === DEFLATED && unpacked === 0 && packed > EMPTY_DEFLATED_MAX)
      return undefined
    total += unpacked
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return total
}
