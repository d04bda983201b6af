import { isRecord } from '@holdfast/foundation'
import { hookFailed } from '../hooks/errors.ts'
import type { HookPayload } from '../hooks/hooks.ts'

type ClaimType = 'string' | 'integer' | 'object' | 'array' | 'string or array'

/** Types of optional claims. */
const CLAIM_TYPES: Readonly<Record<string, ClaimType>> = {
  aud: 'string or array',
  exp: 'integer',
  jti: 'string',
  iat: 'integer',
  iss: 'string',
  nbf: 'integer',
  sub: 'string',
  email: 'string',
  phone: 'string',
  app_metadata: 'object',
  user_metadata: 'object',
  role: 'string',
  aal: 'string',
  amr: 'array',
  session_id: 'string',
  client_id: 'string',
}

const CLAIMS_REQUIRED = [
  'aud',
  'exp',
  'iat',
  'sub',
  'email',
  'phone',
  'role',
  'aal',
  'session_id',
  'is_anonymous',
] as const

/**
 * Reads the claims returned by the `custom_access_token` hook. As in GoTrue they replace all of ours, and the hook, which the project
 * controls, may change any of them. Missing or mistyped claims are refused because they would break clients.
 *
 * @throws {HoldfastError} `unexpected_failure`, 500
 * @see GoTrue, internal/tokens/service.go, "MinimumViableTokenSchema"
 */
export function readCustomClaims(answer: HookPayload): Readonly<Record<string, unknown>> {
  if (!('claims' in answer)) throw hookFailed('output claims field is missing')
  const { claims } = answer
  const faults = isRecord(claims) ? [...faultsOf(claims)] : ['(root): Invalid type. Expected: object']
  if (isRecord(claims) && faults.length === 0) return claims
  throw hookFailed(
    `output claims do not conform to the expected schema: \n${faults.map((fault) => `- ${fault}\n`).join('')}`,
  )
}

function* faultsOf(claims: Readonly<Record<string, unknown>>): Generator<string> {
  for (const name of CLAIMS_REQUIRED) {
    if (!(name in claims)) yield `(root): ${name} is required`
  }
  for (const [name, type] of Object.entries(CLAIM_TYPES)) {
    if (name in claims && !isOfType(claims[name], type)) yield `${name}: Invalid type. Expected: ${type}`
  }
  const { amr } = claims
  if (!Array.isArray(amr)) return
  for (const [index, method] of amr.entries()) {
    if (typeof method !== 'string' && !isRecord(method)) yield `amr.${index}: Must validate at least one schema (anyOf)`
  }
}

function isOfType(value: unknown, type: ClaimType): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'object':
      return isRecord(value)
    case 'array':
      return Array.isArray(value)
    case 'string or array':
      return typeof value === 'string' || Array.isArray(value)
    case 'string':
      return typeof value === 'string'
  }
}
