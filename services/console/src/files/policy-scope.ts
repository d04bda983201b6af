import type { PolicyScope, TablePolicy } from '@holdfast/protocol'

/** A comparison of the bucket, as Postgres prints it: `bucket_id = 'a'::text`, `bucket_id = ANY (ARRAY['a'::text])`. */
const COMPARISON = /\bbucket_id = (?:ANY \(\(?ARRAY\[([^\]]*)\]|'((?:[^']|'')*)')/g
const LITERAL = /'((?:[^']|'')*)'/g

/** Returns which buckets the text of a policy names. A hint for readers: it does not evaluate the policy. */
export function scopeOf({ using, check }: Pick<TablePolicy, 'using' | 'check'>, bucket: string): PolicyScope {
  const named = [...`${using ?? ''} ${check ?? ''}`.matchAll(COMPARISON)].flatMap(([, list, one]) =>
    list === undefined ? [one] : [...list.matchAll(LITERAL)].map(([, literal]) => literal),
  )
  if (named.length === 0) return 'any'
  return named.some((literal) => literal?.replaceAll("''", "'") === bucket) ? 'this' : 'others'
}
