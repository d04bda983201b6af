import { createHash } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'
import { logFailure } from '@holdfast/http'
import { isConnectionLoss, type Pool } from '@holdfast/postgres'
import { REQUEST_BYTES_MAX } from './limits.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'
import { turnOff } from './queue.ts'
import { escapeHtml } from './render-digest.ts'
import { digestWords } from './words.ts'

/** Path of unsubscribe links. */
export const UNSUBSCRIBE_PATH = '/app/v1/daily-mail/off'

export interface UnsubscribeRoutesOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  readonly links: UnsubscribeLinks
  readonly projectName: string
  readonly logger: Logger
}

const STYLE =
  'body{margin:0;padding:48px 24px;background:#fff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif}main{max-width:480px;margin:0 auto}' +
  'button{font:inherit;padding:10px 20px;border:0;border-radius:6px;background:#0b57d0;color:#fff;cursor:pointer;min-height:44px}button:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}' +
  '@media (prefers-color-scheme:dark){body{background:#161616;color:#eee}button{background:#8ab4f8;color:#161616}}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * `GET /app/v1/daily-mail/off?token=…` shows a confirmation page and changes nothing, because mail scanners follow links. `POST` to the same URL
 * unsubscribes, from the button or from mail programs (RFC 8058), without sign-in. Both return a page: 200, 400 for an invalid token, 503 while the database is down.
 */
export function unsubscribeRoutes({ pool, links, projectName, logger }: UnsubscribeRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    // Mail programs send a form in one of two encodings. The body is ignored, because the URL contains everything.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { bodyLimit: REQUEST_BYTES_MAX, parseAs: 'string' }, (_, __, done) =>
      done(null, undefined),
    )
    app.get(UNSUBSCRIBE_PATH, (request, reply) => {
      const words = wordsFor(request)
      return links.read(tokenOf(request)) === undefined
        ? page(reply, 400, request, words.invalid)
        : page(reply, 200, request, words.ask, words.button)
    })
    app.post(UNSUBSCRIBE_PATH, async (request, reply) => {
      const words = wordsFor(request)
      const userId = links.read(tokenOf(request))
      if (userId === undefined) return page(reply, 400, request, words.invalid)
      try {
        await turnOff(pool, userId)
      } catch (error) {
        if (!isConnectionLoss(error)) logFailure(logger, request, 'a daily mail was not turned off', { error })
        return reply
          .code(503)
          .header('retry-after', '5')
          .type('text/plain; charset=utf-8')
          .send('Try again in a moment.\n')
      }
      return page(reply, 200, request, words.done)
    })
  }

  function page(
    reply: FastifyReply,
    status: number,
    request: FastifyRequest,
    text: string,
    button?: string,
  ): FastifyReply {
    const { language } = digestWords(languageOf(request))
    const { title } = wordsFor(request)
    return reply
      .code(status)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        // The URL contains the token.
        'referrer-policy': 'no-referrer',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      })
      .send(
        `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(`${title} · ${projectName}`)}</title><style>${STYLE}</style></head>` +
          `<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`}</main></body></html>`,
      )
  }
}

function tokenOf({ query }: FastifyRequest): unknown {
  return (query as Readonly<Record<string, unknown>>)['token']
}

function wordsFor(request: FastifyRequest): ReturnType<typeof digestWords>['off'] {
  return digestWords(languageOf(request)).off
}

/** Returns the browser's preferred language. */
function languageOf({ headers }: FastifyRequest): string {
  return headers['accept-language']?.split(/[,;]/, 1)[0]?.trim() ?? 'en'
}
