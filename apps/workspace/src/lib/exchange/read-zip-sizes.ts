const END_OF_DIRECTORY = 0x0605_4b50
const ENTRY = 0x0201_4b50
/** The end of the directory stands within so many bytes of the file's end: its own and a comment. */
const TAIL = 65_557
const DEFLATED = 8
/** Anything deflated that is empty is shorter. Bytes. */
const EMPTY_DEFLATED_MAX = 16

/**
 * Reads from the directory of a zip file what its entries unpack to, together. The library that unpacks them holds each to what is stated there; entries
 * that state nothing are refused here.
 *
 * @returns bytes, or `undefined` when the directory is broken, hides sizes, or is that of a file over 4 GiB
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
