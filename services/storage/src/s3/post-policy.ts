import { policyMalformed, policyRefused } from './s3-errors.ts'

/** Conditions of a signed policy for a browser form. */
export interface PostPolicy {
  /** In ms since the epoch. */
  readonly expiresAt: number
  readonly conditions: readonly Condition[]
  /** Allowed file size in bytes. */
  readonly sizes: { readonly min: number; readonly max: number }
}

interface Condition {
  readonly kind: 'eq' | 'starts-with'
  /** Lowercase. */
  readonly field: string
  readonly value: string
}

/** Fields that need no condition. */
const FREE_FIELDS: ReadonlySet<string> = new Set(['policy', 'x-amz-signature', 'file'])

/** @param encoded - base64 @throws {HoldfastError} `InvalidPolicyDocument` */
export function parsePolicy(encoded: string): PostPolicy {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))
  } catch (cause) {
    throw policyMalformed('it is no JSON', cause)
  }
  const { expiration, conditions } = (value ?? {}) as { readonly expiration?: unknown; readonly conditions?: unknown }
  const expiresAt = typeof expiration === 'string' ? Date.parse(expiration) : Number.NaN
  if (Number.isNaN(expiresAt)) throw policyMalformed('it has no expiration')
  if (!Array.isArray(conditions)) throw policyMalformed('it has no conditions')
  let sizes = { min: 0, max: Number.POSITIVE_INFINITY }
  const parsed: Condition[] = []
  for (const one of conditions as readonly unknown[]) {
    if (Array.isArray(one) && one[0] === 'content-length-range') sizes = parseSizes(one)
    else parsed.push(...parseCondition(one))
  }
  return { expiresAt, conditions: parsed, sizes }
}

function parseSizes([, min, max]: readonly unknown[]): PostPolicy['sizes'] {
  const sizes = { min: Number(min), max: Number(max) }
  if (!Number.isSafeInteger(sizes.min) || !Number.isSafeInteger(sizes.max))
    throw policyMalformed('a size is not a number')
  return sizes
}

function parseCondition(one: unknown): readonly Condition[] {
  if (Array.isArray(one)) {
    const [kind, field, value] = one as readonly unknown[]
    if ((kind !== 'eq' && kind !== 'starts-with') || typeof field !== 'string' || typeof value !== 'string')
      throw policyMalformed('a condition is unknown')
    return [{ kind, field: field.replace(/^\$/, '').toLowerCase(), value }]
  }
  if (typeof one !== 'object' || one === null) throw policyMalformed('a condition is unknown')
  return Object.entries(one).map(([field, value]) => {
    if (typeof value !== 'string') throw policyMalformed('a condition has no value')
    return { kind: 'eq', field: field.toLowerCase(), value }
  })
}

/**
 * Checks a form against its policy: every condition holds, and every field is covered.
 *
 * @param fields - by lowercase name, including the bucket
 * @throws {HoldfastError} `AccessDenied`
 */
export function requireConditionsMet(policy: PostPolicy, fields: ReadonlyMap<string, string>, now: number): void {
  if (now > policy.expiresAt) throw policyRefused('Policy expired.')
  for (const { kind, field, value } of policy.conditions) {
    const given = fields.get(field) ?? ''
    if (kind === 'eq' ? given !== value : !given.startsWith(value))
      throw policyRefused(`Policy Condition failed: ["${kind}", "$${field}", "${value}"]`)
  }
  const named = new Set(policy.conditions.map(({ field }) => field))
  const extra = [...fields.keys()].filter(
    (field) => !FREE_FIELDS.has(field) && !field.startsWith('x-ignore-') && !named.has(field),
  )
  if (extra.length > 0) throw policyRefused(`Extra input fields: ${extra.join(', ')}`)
}
