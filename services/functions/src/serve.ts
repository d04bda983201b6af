import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorMessage } from '@holdfast/foundation'
import { bootError, functionNotFound, sendPlatformError, tooManyRequests, workerError } from './platform-errors.ts'
import { BootFailure } from './process/worker.ts'
import { FUNCTION_NAME } from './project/discover.ts'
import { forward } from './proxy/forward.ts'
import { Runtime, type RuntimeOptions } from './runtime.ts'
import { SWITCHED } from './observe/metrics.ts'
import { refuseWithoutToken, type VerifyToken } from './verify.ts'
import { TooManyRequests } from './workers/workers.ts'

/** Request handling, imported with the first request or function. */
export interface Serving extends AsyncDisposable {
  /** @param path - as seen by the function: its name, the remaining path, and the query */
  handle(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply>
  readonly runtime: Runtime
  /** Reads the project's functions and starts a spare process. */
  prepare(): Promise<void>
}

export interface ServeOptions extends RuntimeOptions {
  readonly verifyToken: VerifyToken
}

export function openServing(given: ServeOptions): Serving {
  const runtime = new Runtime(given)
  return {
    handle: (request, reply, path) => serve(runtime, given, { request, reply, path }),
    runtime,
    prepare: () => runtime.discover('changed'),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}

/** Records metrics of a call, however it ends. */
async function measure(
  runtime: Runtime,
  name: string,
  { raw }: FastifyReply,
  call: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const began = performance.now()
  let status = 503
  try {
    const reply = await call()
    status = raw.headersSent ? raw.statusCode : SWITCHED
    return reply
  } finally {
    runtime.metrics.recordCall(name, { status, durationMs: performance.now() - began })
  }
}

async function serve(
  runtime: Runtime,
  { verifyToken, options, logger }: ServeOptions,
  { request, reply, path }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly path: string },
): Promise<FastifyReply> {
  const name = /^\/([^/?]*)/.exec(path)?.[1] ?? ''
  try {
    const definition = FUNCTION_NAME.test(name) ? await runtime.find(name) : undefined
    if (!definition) return sendPlatformError(reply, functionNotFound)
    // CORS preflight requests have no token; the function answers them.
    if (definition.verifyJwt && request.method !== 'OPTIONS') {
      const refusal = await refuseWithoutToken(request, verifyToken)
      if (refusal) return sendPlatformError(reply, refusal)
    }
    return await measure(runtime, definition.name, reply, async () => {
      const { worker, leave } = await runtime.workers().enter(definition)
      try {
        await forward(request, reply, worker, { path, idleTimeoutMs: options.functionsIdleTimeoutS * 1_000, logger })
      } finally {
        leave()
      }
      return reply
    })
  } catch (error) {
    if (error instanceof TooManyRequests) return sendPlatformError(reply, tooManyRequests)
    if (!(error instanceof BootFailure)) throw error
    logger.log('debug', 'a function was not found', { function: name, error: errorMessage(error) })
    return sendPlatformError(reply, error.isThrown ? workerError : bootError)
  }
}
