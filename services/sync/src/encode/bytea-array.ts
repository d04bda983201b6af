/** OID of the element type. */
const BYTEA = 17
const HEAD_BYTES = 20
const NULL_LENGTH = -1

/** Encodes a `bytea[]` in Postgres's binary format. The driver would write hexadecimal text, with twice the bytes and a higher cost on both sides. */
export function byteaArray(values: readonly (Buffer | undefined)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 0)
  const array = Buffer.allocUnsafe(HEAD_BYTES + bytes)
  // Number of dimensions, whether there are NULLs, element type, then size and lower bound of the dimension. Postgres accepts an empty dimension.
  array.writeInt32BE(1, 0)
  array.writeInt32BE(values.includes(undefined) ? 1 : 0, 4)
  array.writeInt32BE(BYTEA, 8)
  array.writeInt32BE(values.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEAD_BYTES
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? NULL_LENGTH, at)
    if (value !== undefined) at += value.copy(array, at)
  }
  return array
}
