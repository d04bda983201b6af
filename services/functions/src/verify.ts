import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import {
  invalidJwt,
  issuerUnavailable,
  missingAuthorization,
  notBearer,
  type PlatformError,
} from './platform-errors.ts'

/** @throws {HoldfastError} if the token is invalid */
export type VerifyToken = (token: string) => Promise<unknown>

/**
 * Requires a token signed with the project's keys, including the anon key. Further authorization is up to the function.
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
