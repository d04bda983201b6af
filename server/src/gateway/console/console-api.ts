import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import {
  type Console,
  type ConsoleAnswer,
  type ConsoleRequest,
  type PermittedRequest,
  SESSION_DAYS,
} from '@holdfast/console'
import { answerRefusals } from '../../workspaces/app-routes.ts'
import { isFromOwnPage, isOwnBrowser } from '../mailbox/guard.ts'

/** Path prefix of the console's API. */
export const CONSOLE_API = '/console/v1'

const COOKIE = 'holdfast_console'

const DAY_S = 86_400

/** Size limit of a request in bytes. SQL scripts and rows are pasted. */
const BODY_BYTES_MAX = 1024 * 1024

export interface ConsoleApiOptions {
  /** Loads the console at the first request. */
  readonly load: () => Promise<Console>
  /** Whether other machines may use the console. */
  readonly isRemote: boolean
  /** Whether pages are served by HTTPS, so that the cookie needs it too. */
  readonly isSecure: boolean
  readonly logger: Logger
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body of a request of the console is read. */
    consolePermit: { readonly console: Console; readonly permitted: PermittedRequest } | undefined
  }
}

/**
 * Mounts the console's API at `/console/v1`. The session is a cookie that scripts cannot read and other sites cannot send. Responses are JSON and never cached;
 * refusals are `{code, message, hint?}`.
 *
 * @see https://www.w3.org/TR/fetch-metadata/ for the check that a request comes from a page of this server
 */
export function consoleApi({ load, isRemote, isSecure, logger }: ConsoleApiOptions): FastifyPluginAsync {
  return async (app) => {
    app.decorateRequest('consolePermit', undefined)
    answerRefusals(app, logger, 'the console could not do this')
    app.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      requireOwnPage(request, isRemote)
      const console = await load()
      request.consolePermit = { console, permitted: await console.permit(headOf(request)) }
    })
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${CONSOLE_API}/*`,
      exposeHeadRoute: false,
      bodyLimit: BODY_BYTES_MAX,
      handler: async (request, reply) => {
        const permit = request.consolePermit
        if (!permit) throw new Error('a request of the console was not checked')
        const given = { ...headOf(request), ...restOf(request, reply) }
        return send(reply, await permit.console.run(permit.permitted, given), isSecure)
      },
    })
  }
}

/** @throws {HoldfastError} `console_local_only`, `not_from_console` */
function requireOwnPage(request: FastifyRequest, isRemote: boolean): void {
  if (!isRemote && !isOwnBrowser(request))
    throw new HoldfastError(
      'console_local_only',
      403,
      'The console is served to browsers on this machine only. To open it to others, start with --console-remote.',
    )
  if (!isFromOwnPage(request))
    throw new HoldfastError('not_from_console', 403, 'Only pages of the console may call this.')
}

function headOf(request: FastifyRequest): Pick<ConsoleRequest, 'method' | 'path' | 'sessionKey'> {
  const [path = ''] = request.url.slice(CONSOLE_API.length).split('?')
  return { method: request.method, path, sessionKey: readCookie(request.headers.cookie) }
}

function restOf(request: FastifyRequest, reply: FastifyReply): Omit<ConsoleRequest, 'method' | 'path' | 'sessionKey'> {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return {
    id: request.id,
    query: request.query as Readonly<Record<string, unknown>>,
    body: request.body,
    address: request.ip,
    userAgent: request.headers['user-agent'],
    signal: left.signal,
  }
}

function readCookie(header = ''): string | undefined {
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === COOKIE && value) return value
  }
  return undefined
}

/** Policy of a page inside a frame of the console: styles and images, but no scripts, forms or links that lead away. */
const PAGE_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

function send(reply: FastifyReply, { status, body, page, sessionKey }: ConsoleAnswer, isSecure: boolean): FastifyReply {
  if (sessionKey !== undefined) {
    const attributes = `Path=/console; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
    reply.header(
      'set-cookie',
      sessionKey === null
        ? `${COOKIE}=; Max-Age=0; ${attributes}`
        : `${COOKIE}=${sessionKey}; ${attributes}; Max-Age=${SESSION_DAYS * DAY_S}`,
    )
  }
  if (page !== undefined)
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff' })
      .send(page)
  return reply.code(status).send(body)
}
