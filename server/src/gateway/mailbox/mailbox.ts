import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { CapturedMessages } from '@holdfast/auth'
import { isOperator, isOperatorKey, type VerifyToken } from '../authenticate.ts'
import { basicPassword, isFromOwnPage, isOwnBrowser } from './guard.ts'
import { isView, renderDocument, renderPage } from './render.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

export interface MailboxOptions {
  readonly messages: CapturedMessages
  readonly projectName: string
  /** Whether the server is reachable only from this machine, whose browsers need no key. */
  readonly servesThisMachineOnly: boolean
  readonly verifyToken: VerifyToken
}

/** Messages per page; the API returns all. */
const MESSAGES_SHOWN_MAX = 200

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Policy for a mail, whose content may come from strangers: no scripts or forms, and remote images only on request. */
function documentPolicy(withPictures: boolean): string {
  return [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${withPictures ? ' https: http:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

interface MessageRequest {
  Params: { readonly id: string }
  Querystring: { readonly view?: string; readonly pictures?: string }
}

/** `/mailbox`: pages of captured messages, for the app's developer or holders of the service key. */
export function mailboxRoutes(options: MailboxOptions): FastifyPluginAsync {
  const { messages, projectName } = options
  return async (app) => {
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
      done(null, undefined),
    )
    app.addHook('onRequest', (request, reply) => guard(request, reply, options))

    app.get('/mailbox/mailbox.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
    app.get('/mailbox/mailbox.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT))
    app.get('/mailbox/newest', async (_request, reply) => {
      const [newest] = await messages.list(1)
      return reply.send({ newest: newest?.id ?? '' })
    })

    app.get('/mailbox', async (_request, reply) => {
      const list = await messages.list(MESSAGES_SHOWN_MAX)
      return sendPage(reply, renderPage({ projectName, list }))
    })

    app.get<MessageRequest>('/mailbox/:id', async (request, reply) => {
      const { view, pictures } = request.query
      const message = await find(messages, request.params.id)
      const list = await messages.list(MESSAGES_SHOWN_MAX)
      const open = { message, view: isView(view) ? view : undefined, withPictures: pictures !== undefined }
      return sendPage(reply.code(message ? 200 : 404), renderPage({ projectName, list, open }))
    })

    app.get<MessageRequest>('/mailbox/:id/html', async (request, reply) => {
      const message = await find(messages, request.params.id)
      return reply
        .code(message ? 200 : 404)
        .type('text/html; charset=utf-8')
        .header('content-security-policy', documentPolicy(request.query.pictures !== undefined))
        .send(renderDocument(message?.html ?? ''))
    })

    app.post('/mailbox/empty', async (request, reply) => {
      if (!isFromOwnPage(request)) return reply.code(403).send('This can be done from the page of the mailbox only.\n')
      await messages.empty()
      return reply.redirect('/mailbox', 303)
    })
  }
}

async function guard(request: FastifyRequest, reply: FastifyReply, options: MailboxOptions): Promise<unknown> {
  reply.headers(PAGE_HEADERS)
  if (options.servesThisMachineOnly && isOwnBrowser(request)) return undefined
  const password = basicPassword(request.headers.authorization)
  const hasKey =
    password === undefined
      ? await isOperator(request, options.verifyToken)
      : await isOperatorKey(password, options.verifyToken)
  if (hasKey) return undefined
  return reply
    .code(401)
    .header(
      'www-authenticate',
      'Basic realm="Mailbox: any name, and the service_role key as password", charset="UTF-8"',
    )
    .type('text/plain; charset=utf-8')
    .send('The mailbox is for who has the service_role key, or sits at the machine of a server that only it reaches.\n')
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY).send(page)
}

async function find(messages: CapturedMessages, id: string): ReturnType<CapturedMessages['find']> {
  return UUID.test(id) ? messages.find(id) : undefined
}
