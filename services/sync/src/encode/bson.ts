import { unreachable } from '@holdfast/foundation'

/** Values in control lines: no dates, binaries or fractions. */
export type BsonValue = string | number | boolean | null | readonly BsonValue[] | { readonly [key: string]: BsonValue }

/**
 * Encodes an object as one BSON document. Numbers become int32, or int64 beyond its range: the client accepts no doubles in control lines.
 *
 * @see bsonspec.org
 */
export function encodeBson(value: Readonly<Record<string, BsonValue>>): Buffer {
  const size = documentSize(value)
  const buffer = Buffer.allocUnsafe(size)
  writeDocument(buffer, 0, value)
  return buffer
}

function entriesOf(value: Readonly<Record<string, BsonValue>> | readonly BsonValue[]): [string, BsonValue][] {
  return Object.entries(value).filter((entry) => entry[1] !== undefined)
}

function documentSize(value: Readonly<Record<string, BsonValue>> | readonly BsonValue[]): number {
  let size = 5
  for (const [key, item] of entriesOf(value)) size += 2 + Buffer.byteLength(key) + valueSize(item)
  return size
}

function valueSize(value: BsonValue): number {
  if (value === null) return 0
  switch (typeof value) {
    case 'string':
      return 5 + Buffer.byteLength(value)
    case 'number':
      return isInt32(value) ? 4 : 8
    case 'boolean':
      return 1
    case 'object':
      return documentSize(value)
    default:
      return unreachable(value)
  }
}

const isInt32 = (value: number): boolean => value === (value | 0)

function writeDocument(
  into: Buffer,
  start: number,
  value: Readonly<Record<string, BsonValue>> | readonly BsonValue[],
): number {
  let at = start + 4
  for (const [key, item] of entriesOf(value)) {
    into[at] = typeOf(item)
    at += 1
    at += into.write(key, at, 'utf8')
    into[at] = 0
    at = writeValue(into, at + 1, item)
  }
  into[at] = 0
  into.writeInt32LE(at + 1 - start, start)
  return at + 1
}

function typeOf(value: BsonValue): number {
  if (value === null) return 0x0a
  if (Array.isArray(value)) return 0x04
  switch (typeof value) {
    case 'string':
      return 0x02
    case 'number':
      return isInt32(value) ? 0x10 : 0x12
    case 'boolean':
      return 0x08
    default:
      return 0x03
  }
}

function writeValue(into: Buffer, at: number, value: BsonValue): number {
  if (value === null) return at
  switch (typeof value) {
    case 'string': {
      const bytes = into.write(value, at + 4, 'utf8')
      into.writeInt32LE(bytes + 1, at)
      into[at + 4 + bytes] = 0
      return at + 5 + bytes
    }
    case 'number':
      if (isInt32(value)) return into.writeInt32LE(value, at)
      return into.writeBigInt64LE(BigInt(value), at)
    case 'boolean':
      into[at] = value ? 1 : 0
      return at + 1
    case 'object':
      return writeDocument(into, at, value)
    default:
      return unreachable(value)
  }
}
