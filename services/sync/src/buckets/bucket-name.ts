import { createHash } from 'node:crypto'

/** Longer keys are hashed: names are in checkpoint lines and in an index of Postgres, whose entries hold less than 2,700 bytes. */
const KEYS_LENGTH_MAX = 400

/** The name of the bucket that holds the rows of a definition with these key values. Opaque to devices. */
export function bucketName(
  definition: { readonly id: string; readonly tag: string },
  keys: readonly (string | null)[],
): string {
  return `${definition.id}.${definition.tag}${keyPart(keys)}`
}

/** Suffix of a bucket's name: its key values, or their hash. */
export function keyPart(keys: readonly (string | null)[]): string {
  const list = JSON.stringify(keys)
  return list.length <= KEYS_LENGTH_MAX ? list : `#${createHash('sha256').update(list).digest('hex')}`
}

/** Prefix of all bucket names of a definition: its id and tag. */
export function definitionPart(name: string): string {
  const start = name.search(/\.[0-9a-f]{8}\.[0-9a-f]{8}[[#]/)
  return start < 0 ? name : name.slice(0, start + 18)
}

/** The key values in a bucket's name; `undefined` when they were too long for it. */
export function readBucketKey(name: string): readonly (string | null)[] | undefined {
  // Neither the id's hash nor the tag has a bracket; names of tables may.
  const start = name.search(/\.[0-9a-f]{8}\.[0-9a-f]{8}\[/)
  return start < 0 ? undefined : (JSON.parse(name.slice(start + 18)) as (string | null)[])
}
