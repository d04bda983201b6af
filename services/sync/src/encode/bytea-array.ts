/** Type of the elements. */
const BYTEA = 17
const HEAD_BYTES = 20
const NULL_LENGTH = -1

/**
 * A `bytea[]` in Postgres's binary form. The driver would write an array of buffers as text in hexadecimal digits, which is twice the bytes, all of them
 * written and read digit by digit.
 */
export function byteaArray(values: readonly (Buffer | undefined)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 0)
  const array = Buffer.allocUnsafe(HEAD_BYTES + bytes)
  // Dimensions, whether there are nulls, type, then elements and first index of the dimension. Postgres takes a dimension of no elements.
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
