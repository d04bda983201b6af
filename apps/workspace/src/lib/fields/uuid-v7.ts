/**
 * Generates a UUID version 7, which sorts by creation time.
 *
 * @param atMs - milliseconds since the epoch
 * @see RFC 9562, 5.7
 */
export function uuidV7(atMs: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.floor(atMs / 0x1_0000))
  view.setUint16(4, atMs % 0x1_0000)
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f))
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Returns a UUIDv7's creation time; `undefined` for other ids. */
export function uuidV7Time(id: string): Date | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? []
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16))
}
