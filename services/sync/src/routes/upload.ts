import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { defined, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import { UPLOAD_BODY_BYTES_MAX, UPLOAD_PATH, type OperationVerdict, type UploadResponse } from '@holdfast/protocol'
import type { UploadProblems } from '../devices/upload-problems.ts'
import { CLIENT_ID_LENGTH_MAX } from '../limits.ts'
import type { Connections } from '../stream/connections.ts'
import { uploadAbandoned, uploadNeedsUser } from '../upload/errors.ts'
import { gunzipBody, isPacked } from '../upload/gunzip-body.ts'
import { judgeBatch } from '../upload/judge-batch.ts'
import { judgeUpload, type JudgeContext } from '../upload/judge-upload.ts'
import type { UploadCounter } from '../upload/upload-counts.ts'
import { isBatch, parseUpload, parseUploadBatch } from '../upload/parse-upload.ts'
import type { UploadAdmission } from '../upload/upload-admission.ts'

export interface UploadRouteOptions {
  readonly context: JudgeContext
  readonly underWay: UploadAdmission
  readonly counter: UploadCounter
  readonly problems: UploadProblems
  /** The open streams. */
  readonly connections: Pick<Connections, 'of'>
  readonly logger: Logger
}

/** An upload in progress. */
interface Lease {
  readonly signal: AbortSignal
  isJudging: boolean
  release(): void
}

/** `POST /sync/v1/upload`: applies one or several local transactions, each once. */
export function uploadRoutes(options: UploadRouteOptions): FastifyPluginAsync {
  const { context, underWay, counter, problems, connections, logger } = options
  const leases = new WeakMap<FastifyRequest, Lease>()

  return async (app) => {
    app.post(
      UPLOAD_PATH,
      {
        bodyLimit: UPLOAD_BODY_BYTES_MAX,
        // Before the body is read, so a refused upload costs no memory.
        onRequest: async (request, reply) => {
          const { userId } = requireCaller(request)
          if (!userId) throw uploadNeedsUser()
          const leave = underWay.enter(userId, bodyBytes(request))
          const gone = new AbortController()
          let isHeld = true
          const lease: Lease = {
            signal: gone.signal,
            isJudging: false,
            release() {
              if (!isHeld || lease.isJudging) return
              isHeld = false
              leave()
            },
          }
          leases.set(request, lease)
          reply.raw.once('close', () => {
            if (!reply.raw.writableFinished) gone.abort(uploadAbandoned())
            lease.release()
          })
        },
        preParsing: async (request, _, payload) => gunzipBody(request, payload),
        onResponse: async (request) => leases.get(request)?.release(),
      },
      async (request) => {
        const lease = defined(leases.get(request), 'every upload is counted before its body is read')
        const sender = { caller: requireCaller(request), signal: lease.signal }
        const { body } = request
        const device = deviceOf(request)
        for (const { session } of connections.of(device.userId, device.clientId)) session.uploaded()
        lease.isJudging = true
        try {
          const answer = isBatch(body)
            ? await judgeBatch(context, sender, parseUploadBatch(body))
            : await judgeUpload(context, sender, parseUpload(body))
          for (const result of 'results' in answer ? answer.results : [answer]) {
            counter.add(result)
            logRejections(logger, request.id, device, result)
          }
          problems.succeeded(device.userId, device.clientId)
          return answer
        } catch (error) {
          // A device that went away says nothing about its changes.
          if (lease.signal.aborted) throw error
          const code = error instanceof HoldfastError ? error.code : 'unexpected_failure'
          problems.failed(device.userId, device.clientId, {
            atMs: Date.now(),
            requestId: request.id,
            code,
            message: errorMessage(error),
          })
          throw error
        } finally {
          lease.isJudging = false
          lease.release()
        }
      },
    )
  }
}

/** Logs why a transaction was rejected, without the messages, which quote rows. */
function logRejections(
  logger: Logger,
  requestId: string,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
  { verdicts }: UploadResponse,
): void {
  for (const verdict of verdicts) {
    if (verdict.status === 'applied' || verdict.status === 'not_reached') continue
    const { table, constraint, policies, sqlstate } =
      verdict.status === 'error' ? verdict : ({} as Partial<Extract<OperationVerdict, { status: 'error' }>>)
    logger.log('info', 'a change of a device was rejected', {
      requestId,
      userId,
      device: clientId,
      operation: verdict.op_id,
      reason: verdict.status,
      ...(table !== undefined && { table }),
      ...(constraint !== undefined && { constraint }),
      ...(policies && { policies: policies.join(', ') }),
      ...(sqlstate !== undefined && { code: sqlstate }),
    })
  }
}

/** Returns the uploading device as far as the unchecked body names it. */
function deviceOf(request: FastifyRequest): { readonly userId: string; readonly clientId: string } {
  const { client_id: clientId } = (request.body ?? {}) as { readonly client_id?: unknown }
  return {
    userId: requireCaller(request).userId ?? '',
    clientId: typeof clientId === 'string' ? clientId.slice(0, CLIENT_ID_LENGTH_MAX) : '',
  }
}

/** Estimated compression ratio. JSON of changes shrinks to a quarter, similar changes to a twelfth; body memory counts the real size. */
const PACKED_TIMES = 16

/** Returns the declared body size, or the maximum if undeclared. */
function bodyBytes(request: FastifyRequest): number {
  const declared = Number(request.headers['content-length'] ?? Number.NaN) * (isPacked(request) ? PACKED_TIMES : 1)
  return Number.isFinite(declared) ? Math.min(declared, UPLOAD_BODY_BYTES_MAX) : UPLOAD_BODY_BYTES_MAX
}
