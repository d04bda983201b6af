import { createHash } from 'node:crypto'

/** Longer keys are hashed: names appear in checkpoint lines and in a Postgres index, whose entries are limited to 2,700 bytes. */
const KEYS_LENGTH_MAX = 400

/** Returns the name of the bucket for rows of a definition with these key values. Opaque to devices. */
export function bucketName(
  definition: { readonly id: string; readonly tag: string },
  keys: readonly (string | null)[],
): string {
  return `${definition.id}.${definition.tag}${keyPart(keys)}`
}

/** Returns the suffix of a bucket's name: its key values, or their hash. */
export function keyPart(keys: readonly (string | null)[]): string {
  const list = JSON.stringify(keys)
  return list.length <= KEYS_LENGTH_MAX ? list : `#${createHash('sha256').update(list).digest('hex')}`
}

/** Returns the prefix of a bucket's name: the definition's id and tag. */
export function definitionPart(name: string): string {
  const start = name.search(/\.[0-9a-f]{8}\.[0-9a-f]{8}[[#]/)
  return start < 0 ? name : name.slice(0, start + 18)
}

/** Parses the key values in a bucket's name; `undefined` if they are hashed. */
export function readBucketKey(name: string): readonly (string | null)[] | undefined {
  // Unlike table names, the id's hash and the tag cannot contain a bracket.
  const start = name.search(/\.[0-9a-f]{8}\.[0-9a-f]{8}\[/)
  return start < 0 ? undefined : (JSON.parse(name.slice(start + 18)) as (string | null)[])
}
