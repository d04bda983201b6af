import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import {
  invalidJwt,
  issuerUnavailable,
  missingAuthorization,
  notBearer,
  type PlatformError,
} from './platform-errors.ts'

/** @throws {HoldfastError} when the token is no good */
export type VerifyToken = (token: string) => Promise<unknown>

/**
 * Looks for a token that the keys of the project sign, whoever it is of: the anon key will do. What else it has to say is for the function.
 *
 * @returns the refusal, or `undefined`
 */
export async function refuseWithoutToken(
  { headers }: FastifyRequest,
  verifyToken: VerifyToken,
): Promise<PlatformError | undefined> {
  if (!headers.authorization) return missingAuthorization
  const token = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization)?.[1]
  if (token === undefined) return notBearer
  try {
    await verifyToken(token)
    return undefined
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error
    return error.status >= 500 ? issuerUnavailable : invalidJwt
  }
}
